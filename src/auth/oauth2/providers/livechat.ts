import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** LiveChat. */
export const livechat: OAuth2Provider = {
  name: 'livechat',
  displayName: 'LiveChat',
  order: 27,
  pkce: true,
  scopes: [],
  authURL: 'https://accounts.livechat.com/',
  tokenURL: 'https://accounts.livechat.com/token',
  userInfoURL: 'https://accounts.livechat.com/v2/accounts/me',
  toUser: (info) => ({
    id: textAt(info, 'account_id'),
    name: textAt(info, 'name'),
    avatarURL: textAt(info, 'avatar_url'),
    email: isTrueAt(info, 'email_verified') ? textAt(info, 'email') : '',
  }),
  logo: logoOf(
    'M23.849 14.91c-.24 2.94-2.73 5.22-5.7 5.19h-3.15l-6 3.9v-3.9l6-3.9h3.15c.93.03 1.71-.66 1.83-1.59.18-3 .18-6-.06-9-.06-.84-.75-1.47-1.56-1.53-2.04-.09-4.2-.18-6.36-.18s-4.32.06-6.36.21c-.84.06-1.5.69-1.56 1.53-.21 3-.24 6-.06 9 .09.93.9 1.59 1.83 1.56h3.15v3.9h-3.15a5.644 5.644 0 01-5.7-5.19c-.21-3.21-.18-6.39.06-9.6a5.57 5.57 0 015.19-5.1c2.1-.15 4.35-.21 6.6-.21s4.5.06 6.63.24a5.57 5.57 0 015.19 5.1c.21 3.18.24 6.39.03 9.57z',
  ),
};
