import type { JsonObject } from '../../../kernel/json-object.js';
import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider, ProviderUser } from '../oauth2-provider.js';
import type { OAuth2Session } from '../oauth2-session.js';
import { logoOf } from '../provider-logo.js';

/** Microsoft. Which address counts is the collection's choice, because any tenant may write any address into `mail`. */
export const microsoft: OAuth2Provider = {
  name: 'microsoft',
  displayName: 'Microsoft',
  order: 3,
  pkce: true,
  scopes: ['User.Read'],
  authURL: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
  tokenURL: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  userInfoURL: 'https://graph.microsoft.com/v1.0/me',
  additionalScopes: (client) => (client.extra.idTokenEmailClaim ? ['openid'] : []),
  toUser: async (info, session) => ({
    id: textAt(info, 'id'),
    name: textAt(info, 'displayName'),
    ...(session.client.extra.idTokenEmailClaim ? await claimedEmail(session) : mailOf(info, session)),
  }),
  logo: logoOf('M0 0h11.4v11.4H0zM12.6 0H24v11.4H12.6zM0 12.6h11.4V24H0zM12.6 12.6H24V24H12.6z'),
};

/** Endpoints that let accounts of every tenant in. */
const MULTI_TENANT = /\/(common|organizations|consumers)\//;

function mailOf(info: JsonObject, { client }: OAuth2Session): Partial<ProviderUser> {
  const mail = textAt(info, 'mail');
  return MULTI_TENANT.test(client.tokenURL) ? { suggestedEmail: mail } : { email: mail };
}

/** AUTH-1005. An id token that is missing, expired or unreadable means no address. */
async function claimedEmail(session: OAuth2Session): Promise<Partial<ProviderUser>> {
  const claims = await session.readIdToken({ issuers: [], jwksURL: '' }).catch(() => ({}));
  const ownedDomain = isTrueAt(claims, 'xms_edov') ? textAt(claims, 'email') : '';
  switch (session.client.extra.idTokenEmailClaim) {
    case 'email':
      return { email: textAt(claims, 'email') };
    case 'email_and_xms_edov':
      return { email: ownedDomain };
    case 'verified_primary_email':
      return { email: verifiedPrimary(claims) };
    case 'any_verified':
      return { email: verifiedPrimary(claims) || ownedDomain };
    default:
      return {};
  }
}

/** A list of addresses, of which there is one at most. */
function verifiedPrimary(claims: JsonObject): string {
  return textAt(claims, 'verified_primary_email') || textAt(claims, 'verified_primary_email.0');
}
