import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** Patreon. */
export const patreon: OAuth2Provider = {
  name: 'patreon',
  displayName: 'Patreon',
  order: 24,
  pkce: true,
  scopes: ['identity', 'identity[email]'],
  authURL: 'https://www.patreon.com/oauth2/authorize',
  tokenURL: 'https://www.patreon.com/api/oauth2/token',
  userInfoURL:
    'https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=full_name,email,vanity,image_url,is_email_verified',
  toUser: (info) => ({
    id: textAt(info, 'data.id'),
    name: textAt(info, 'data.attributes.full_name'),
    username: textAt(info, 'data.attributes.vanity'),
    avatarURL: textAt(info, 'data.attributes.image_url'),
    email: isTrueAt(info, 'data.attributes.is_email_verified') ? textAt(info, 'data.attributes.email') : '',
  }),
  logo: logoOf(
    'M22.957 7.21c-.004-3.064-2.391-5.576-5.191-6.482-3.478-1.125-8.064-.962-11.384.604C2.357 3.231 1.093 7.391 1.046 11.54c-.039 3.411.302 12.396 5.369 12.46 3.765.047 4.326-4.804 6.068-7.141 1.24-1.662 2.836-2.132 4.801-2.618 3.376-.836 5.678-3.501 5.673-7.031Z',
  ),
};
