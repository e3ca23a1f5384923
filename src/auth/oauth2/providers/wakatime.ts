import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** WakaTime. */
export const wakatime: OAuth2Provider = {
  name: 'wakatime',
  displayName: 'WakaTime',
  order: 26,
  pkce: true,
  scopes: ['email'],
  authURL: 'https://wakatime.com/oauth/authorize',
  tokenURL: 'https://wakatime.com/oauth/token',
  userInfoURL: 'https://wakatime.com/api/v1/users/current',
  toUser: (info) => ({
    id: textAt(info, 'data.id'),
    name: textAt(info, 'data.display_name'),
    username: textAt(info, 'data.username'),
    avatarURL: isTrueAt(info, 'data.photo_public') ? textAt(info, 'data.photo') : '',
    email: isTrueAt(info, 'data.is_email_confirmed') ? textAt(info, 'data.email') : '',
  }),
  logo: logoOf(
    'M12 0C5.373 0 0 5.373 0 12s5.373 12 12 12 12-5.373 12-12S18.627 0 12 0zm0 2.824a9.176 9.176 0 1 1 0 18.352 9.176 9.176 0 0 1 0-18.352zm5.097 5.058c-.327 0-.61.19-.764.45-1.025 1.463-2.21 3.162-3.288 4.706l-.387-.636a.897.897 0 0 0-.759-.439.901.901 0 0 0-.788.492l-.357.581-1.992-2.943a.897.897 0 0 0-.761-.446c-.514 0-.903.452-.903.96a1 1 0 0 0 .207.61l2.719 3.96c.152.272.44.47.776.47a.91.91 0 0 0 .787-.483c.046-.071.23-.368.314-.504l.324.52c-.035-.047.076.113.087.13.024.031.054.059.078.085.019.019.04.036.058.052.036.033.08.056.115.08.025.016.052.028.076.04.029.015.06.024.088.035.058.025.122.027.18.04.031.004.064.003.092.005.29 0 .546-.149.707-.36 1.4-2 2.842-4.055 4.099-5.849A.995.995 0 0 0 18 8.842c0-.508-.389-.96-.903-.96',
  ),
};
