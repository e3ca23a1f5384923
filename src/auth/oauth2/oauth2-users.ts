import { Injectable } from '@nestjs/common';
import { formatDateTime } from '../../kernel/date-time.js';
import { isEmailAddress } from '../../kernel/validation/email-address.js';
import { IdTokenVerifier } from './id-token-verifier.js';
import type { OAuth2Client } from './oauth2-client.js';
import { OAuth2Session } from './oauth2-session.js';
import type { OAuth2User } from './oauth2-user.js';
import { type AuthorizationGrant, TokenExchange } from './token-exchange.js';

/** Everything a provider is asked during one sign-in takes no longer than this (AUTH-902). */
const TIME_LIMIT = 30_000;

/** Finds out from a provider who is behind an authorization code. */
@Injectable()
export class OAuth2Users {
  constructor(
    private readonly tokens: TokenExchange,
    private readonly idTokens: IdTokenVerifier,
  ) {}

  /** Throws an Error for the log when the provider refuses, is not reachable, takes too long or names nobody. */
  async fetch(client: OAuth2Client, grant: AuthorizationGrant): Promise<OAuth2User> {
    const signal = AbortSignal.timeout(TIME_LIMIT);
    const reply = await this.tokens.exchange(client, grant, signal);
    const session = new OAuth2Session(client, reply, this.idTokens, signal);
    const info = client.provider.fetchUserInfo
      ? await client.provider.fetchUserInfo(session)
      : await session.getJson(client.userInfoURL);
    const user = await client.provider.toUser(info, session);
    if (!user.id) throw new Error(`${client.provider.name} named no user.`);
    return {
      id: user.id,
      name: user.name ?? '',
      username: user.username ?? '',
      email: addressOrNone(user.email),
      avatarURL: user.avatarURL ?? '',
      rawUser: info,
      accessToken: reply.accessToken,
      refreshToken: reply.refreshToken,
      expiry: reply.expiry === undefined ? '' : formatDateTime(reply.expiry),
      suggestedEmail: addressOrNone(user.suggestedEmail),
    };
  }
}

/** Some providers put a notice where the address would be. */
function addressOrNone(email = ''): string {
  return isEmailAddress(email) ? email : '';
}
