import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';

/** Planning Center. */
export const planningcenter: OAuth2Provider = {
  name: 'planningcenter',
  displayName: 'Planning Center',
  order: 29,
  pkce: true,
  scopes: ['people'],
  authURL: 'https://api.planningcenteronline.com/oauth/authorize',
  tokenURL: 'https://api.planningcenteronline.com/oauth/token',
  userInfoURL: 'https://api.planningcenteronline.com/people/v2/me',
  toUser: (info) => {
    if (textAt(info, 'data.attributes.status') !== 'active') {
      throw new Error('The Planning Center account is not active.');
    }
    return {
      id: textAt(info, 'data.id'),
      name: textAt(info, 'data.attributes.name'),
      avatarURL: textAt(info, 'data.attributes.avatar'),
    };
  },
  logo: '',
};
