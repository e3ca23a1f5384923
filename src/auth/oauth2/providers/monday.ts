import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';

/** monday.com. */
export const monday: OAuth2Provider = {
  name: 'monday',
  displayName: 'monday.com',
  order: 18,
  pkce: true,
  scopes: ['me:read'],
  authURL: 'https://auth.monday.com/oauth2/authorize',
  tokenURL: 'https://auth.monday.com/oauth2/token',
  userInfoURL: 'https://api.monday.com/v2',
  fetchUserInfo: (session) =>
    session.queryGraphQL(session.client.userInfoURL, 'query { me { id enabled name email is_verified photo_small } }'),
  toUser: (info) => {
    if (!isTrueAt(info, 'data.me.enabled')) throw new Error('The monday.com account is not enabled.');
    return {
      id: textAt(info, 'data.me.id'),
      name: textAt(info, 'data.me.name'),
      avatarURL: textAt(info, 'data.me.photo_small'),
      email: isTrueAt(info, 'data.me.is_verified') ? textAt(info, 'data.me.email') : '',
    };
  },
  logo: '',
};
