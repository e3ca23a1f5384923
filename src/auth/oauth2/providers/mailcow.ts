import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';

/** mailcow, which everybody hosts for themselves: its addresses come from the collection. */
export const mailcow: OAuth2Provider = {
  name: 'mailcow',
  displayName: 'mailcow',
  order: 28,
  pkce: true,
  scopes: ['profile'],
  authURL: '',
  tokenURL: '',
  userInfoURL: '',
  toUser: (info) => {
    if (!isTrueAt(info, 'active')) throw new Error('The mailcow account is not active.');
    return {
      id: textAt(info, 'id'),
      name: textAt(info, 'full_name'),
      username: textAt(info, 'username').split('@')[0]!,
      email: textAt(info, 'email'),
    };
  },
  logo: '',
};
