import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';
import { tokenOrigin } from '../token-origin.js';

/** Any OpenID Connect provider, known to the collection only. There are three, so that a collection may use as many. */
function oidcProvider(name: string): OAuth2Provider {
  return {
    name,
    displayName: 'OIDC',
    order: 99,
    pkce: true,
    scopes: ['openid', 'email', 'profile'],
    authURL: '',
    tokenURL: '',
    userInfoURL: '',
    fetchUserInfo: async (session) => {
      const { clientId, userInfoURL, extra } = session.client;
      if (userInfoURL) return session.getJson(userInfoURL);
      return session.readIdToken({ audience: clientId, ...tokenOrigin(extra) });
    },
    toUser: (info) => ({
      id: textAt(info, 'sub'),
      name: textAt(info, 'name'),
      username: textAt(info, 'preferred_username'),
      avatarURL: textAt(info, 'picture'),
      email: isTrueAt(info, 'email_verified') ? textAt(info, 'email') : '',
    }),
    logo: logoOf(
      'M14.54.889l-3.63 1.773v18.17c-4.15-.52-7.27-2.78-7.27-5.5 0-2.58 2.8-4.75 6.63-5.41v-2.31C4.42 8.322 0 11.502 0 15.332c0 3.96 4.74 7.24 10.91 7.78l3.63-1.71V.888m.64 6.724v2.31c1.43.25 2.71.7 3.76 1.31l-1.97 1.11 7.03 1.53-.5-5.21-1.87 1.06c-1.74-1.06-3.96-1.81-6.45-2.11z',
    ),
  };
}

export const oidc = oidcProvider('oidc');
export const oidc2 = oidcProvider('oidc2');
export const oidc3 = oidcProvider('oidc3');
