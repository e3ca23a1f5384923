import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { primaryEmail } from '../primary-email.js';
import { logoOf } from '../provider-logo.js';

/** Bitbucket. */
export const bitbucket: OAuth2Provider = {
  name: 'bitbucket',
  displayName: 'Bitbucket',
  order: 9,
  pkce: false,
  scopes: ['account'],
  authURL: 'https://bitbucket.org/site/oauth2/authorize',
  tokenURL: 'https://bitbucket.org/site/oauth2/access_token',
  userInfoURL: 'https://api.bitbucket.org/2.0/user',
  toUser: async (info, session) => {
    if (textAt(info, 'account_status') !== 'active') throw new Error('The Bitbucket account is not active.');
    return {
      id: textAt(info, 'uuid'),
      name: textAt(info, 'display_name'),
      username: textAt(info, 'username'),
      avatarURL: textAt(info, 'links.avatar.href'),
      email: await primaryEmail(session, { list: 'values', flags: ['is_primary', 'is_confirmed'] }),
    };
  },
  logo: logoOf(
    'M.778 1.213a.768.768 0 00-.768.892l3.263 19.81c.084.5.515.868 1.022.873H19.95a.772.772 0 00.77-.646l3.27-20.03a.768.768 0 00-.768-.891zM14.52 15.53H9.522L8.17 8.466h7.561z',
  ),
};
