import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** Twitch. */
export const twitch: OAuth2Provider = {
  name: 'twitch',
  displayName: 'Twitch',
  order: 23,
  pkce: true,
  scopes: ['user:read:email'],
  authURL: 'https://id.twitch.tv/oauth2/authorize',
  tokenURL: 'https://id.twitch.tv/oauth2/token',
  userInfoURL: 'https://api.twitch.tv/helix/users',
  fetchUserInfo: (session) => session.getJson(session.client.userInfoURL, { 'client-id': session.client.clientId }),
  toUser: (info) => ({
    id: textAt(info, 'data.0.id'),
    name: textAt(info, 'data.0.display_name'),
    username: textAt(info, 'data.0.login'),
    avatarURL: textAt(info, 'data.0.profile_image_url'),
    email: textAt(info, 'data.0.email'),
  }),
  logo: logoOf(
    'M11.571 4.714h1.715v5.143H11.57zm4.715 0H18v5.143h-1.714zM6 0L1.714 4.286v15.428h5.143V24l4.286-4.286h3.428L22.286 12V0zm14.571 11.143l-3.428 3.428h-3.429l-3 3v-3H6.857V1.714h13.714Z',
  ),
};
