import type { OAuth2Provider } from 'roost';

/** Signing in with an account at Acme. */
export const ACME: OAuth2Provider = {
  name: 'acme',
  displayName: 'Acme',
  order: 100,
  logo: '',
  pkce: true,
  scopes: ['profile'],
  authURL: 'https://acme.test/authorize',
  tokenURL: 'https://acme.test/token',
  userInfoURL: 'https://acme.test/me',
  toUser: (info) => ({ id: String(info['number'] ?? ''), name: String(info['title'] ?? '') }),
};
