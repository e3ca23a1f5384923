import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** Strava. */
export const strava: OAuth2Provider = {
  name: 'strava',
  displayName: 'Strava',
  order: 25,
  pkce: true,
  scopes: ['profile:read_all'],
  authURL: 'https://www.strava.com/oauth/authorize',
  tokenURL: 'https://www.strava.com/api/v3/oauth/token',
  userInfoURL: 'https://www.strava.com/api/v3/athlete',
  toUser: (info) => ({
    id: textAt(info, 'id'),
    name: `${textAt(info, 'firstname')} ${textAt(info, 'lastname')}`.trim(),
    username: textAt(info, 'username'),
    avatarURL: textAt(info, 'profile'),
  }),
  logo: logoOf(
    'M15.387 17.944l-2.089-4.116h-3.065L15.387 24l5.15-10.172h-3.066m-7.008-5.599l2.836 5.598h4.172L10.463 0l-7 13.828h4.169',
  ),
};
