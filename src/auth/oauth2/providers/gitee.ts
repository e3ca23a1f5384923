import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** Gitee. */
export const gitee: OAuth2Provider = {
  name: 'gitee',
  displayName: 'Gitee',
  order: 10,
  pkce: true,
  scopes: ['user_info', 'emails'],
  authURL: 'https://gitee.com/oauth/authorize',
  tokenURL: 'https://gitee.com/oauth/token',
  userInfoURL: 'https://gitee.com/api/v5/user',
  toUser: (info) => ({
    id: textAt(info, 'id'),
    name: textAt(info, 'name'),
    username: textAt(info, 'login'),
    avatarURL: textAt(info, 'avatar_url'),
    email: textAt(info, 'email'),
  }),
  logo: logoOf(
    'M11.984 0A12 12 0 0 0 0 12a12 12 0 0 0 12 12 12 12 0 0 0 12-12A12 12 0 0 0 12 0a12 12 0 0 0-.016 0zm6.09 5.333c.328 0 .593.266.592.593v1.482a.594.594 0 0 1-.593.592H9.777c-.982 0-1.778.796-1.778 1.778v5.63c0 .327.266.592.593.592h5.63c.982 0 1.778-.796 1.778-1.778v-.296a.593.593 0 0 0-.592-.593h-4.15a.592.592 0 0 1-.592-.592v-1.482a.593.593 0 0 1 .593-.592h6.815c.327 0 .593.265.593.592v3.408a4 4 0 0 1-4 4H5.926a.593.593 0 0 1-.593-.593V9.778a4.444 4.444 0 0 1 4.445-4.444h8.296Z',
  ),
};
