import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** X/Twitter. */
export const twitter: OAuth2Provider = {
  name: 'twitter',
  displayName: 'X/Twitter',
  order: 13,
  pkce: true,
  scopes: ['users.read', 'users.email', 'tweet.read'],
  authURL: 'https://x.com/i/oauth2/authorize',
  tokenURL: 'https://api.x.com/2/oauth2/token',
  userInfoURL: 'https://api.x.com/2/users/me?user.fields=id,name,username,profile_image_url,confirmed_email',
  toUser: (info) => ({
    id: textAt(info, 'data.id'),
    name: textAt(info, 'data.name'),
    username: textAt(info, 'data.username'),
    avatarURL: textAt(info, 'data.profile_image_url'),
    email: textAt(info, 'data.confirmed_email'),
  }),
  logo: logoOf(
    'M14.234 10.162 22.977 0h-2.072l-7.591 8.824L7.251 0H.258l9.168 13.343L.258 24H2.33l8.016-9.318L16.749 24h6.993zm-2.837 3.299-.929-1.329L3.076 1.56h3.182l5.965 8.532.929 1.329 7.754 11.09h-3.182z',
  ),
};
