import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json-object.js';
import { textAt, valueAt } from './json-values.js';
import { limitedFetch, type LimitedReply, parseJsonObject } from './limited-fetch.js';
import type { OAuth2Client } from './oauth2-client.js';

/** What a client brings back from the provider. */
export interface AuthorizationGrant {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectURL: string;
}

/** What a token endpoint answered. */
export interface TokenReply {
  readonly accessToken: string;
  /** For the `Authorization` header of requests to the provider. */
  readonly tokenType: string;
  readonly refreshToken: string;
  readonly idToken: string;
  /** Milliseconds since the Unix epoch; undefined when the provider does not say. */
  readonly expiry: number | undefined;
  /** The whole answer. */
  readonly raw: JsonObject;
}

/** How a client proves who it is: in the `Authorization` header, or among the parameters. */
type CredentialStyle = 'header' | 'parameters';

/**
 * Exchanges an authorization code for tokens.
 *
 * Own code on purpose: the certified clients refuse what widely used providers do (an answer that is form-encoded or
 * has no `token_type`, credentials accepted in one place only), and with those parts replaced a single POST is left.
 */
@Injectable()
export class TokenExchange {
  /** Working styles by token URL, so that only the first sign-in with a provider may need two requests. */
  private readonly styles = new LRUCache<string, CredentialStyle>({ max: 1000 });

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Throws when the provider refuses, answers without an access token, or does not answer in time. */
  async exchange(client: OAuth2Client, grant: AuthorizationGrant, signal: AbortSignal): Promise<TokenReply> {
    const known = this.styles.get(client.tokenURL);
    let style: CredentialStyle = known ?? 'header';
    let reply = await this.post(client, grant, style, signal);
    if (!known && mayBeForeignStyle(reply)) {
      style = 'parameters';
      reply = await this.post(client, grant, style, signal);
    }
    const tokens = this.read(reply);
    this.styles.set(client.tokenURL, style);
    return tokens;
  }

  private post(
    client: OAuth2Client,
    grant: AuthorizationGrant,
    style: CredentialStyle,
    signal: AbortSignal,
  ): Promise<LimitedReply> {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: grant.code });
    if (grant.redirectURL) body.set('redirect_uri', grant.redirectURL);
    if (client.pkce && grant.codeVerifier) body.set('code_verifier', grant.codeVerifier);
    const headers: Record<string, string> = { accept: 'application/json' };
    if (style === 'header') {
      headers.authorization = basicCredentials(client);
    } else {
      body.set('client_id', client.clientId);
      body.set('client_secret', client.clientSecret);
    }
    return limitedFetch(client.tokenURL, { method: 'POST', headers, body, redirect: 'manual', signal });
  }

  private read(reply: LimitedReply): TokenReply {
    const reason = refusal(reply);
    if (reason) throw new Error(`The token endpoint refused: ${reason}`);
    const raw = parseReply(reply);
    const accessToken = textAt(raw, 'access_token');
    if (!accessToken) throw new Error('The token endpoint answered without an access token.');
    const seconds = Number(valueAt(raw, 'expires_in') ?? 0);
    const tokenType = textAt(raw, 'token_type') || 'Bearer';
    return {
      accessToken,
      tokenType: tokenType.toLowerCase() === 'bearer' ? 'Bearer' : tokenType,
      refreshToken: textAt(raw, 'refresh_token'),
      idToken: textAt(raw, 'id_token'),
      expiry: seconds > 0 ? this.clock.now() + seconds * 1000 : undefined,
      raw,
    };
  }
}

/** Form-encoded first, as RFC 6749 2.3.1 asks, so that a colon in the client id does no harm. */
function basicCredentials({ clientId, clientSecret }: OAuth2Client): string {
  const [id, secret] = [clientId, clientSecret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/**
 * Why an answer is none, undefined when it is fine. Some refuse with status 200. Texts may repeat secrets: left out.
 */
function refusal(reply: LimitedReply): string | undefined {
  const error = errorOf(reply);
  if (reply.status >= 200 && reply.status < 300 && !error) return undefined;
  return `${reply.status} ${error}`.trim();
}

/**
 * A refused code would be refused again; any other error may mean that the provider expects the credentials elsewhere.
 */
function mayBeForeignStyle(reply: LimitedReply): boolean {
  return refusal(reply) !== undefined && errorOf(reply) !== 'invalid_grant';
}

function errorOf(reply: LimitedReply): string {
  try {
    const error = valueAt(parseReply(reply), 'error');
    return typeof error === 'string' ? error : error ? JSON.stringify(error).slice(0, 200) : '';
  } catch {
    return '';
  }
}

/** JSON, or form-encoded where the provider says so or sends no object at all. */
function parseReply({ contentType, text }: LimitedReply): JsonObject {
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') || !text.trimStart().startsWith('{');
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJsonObject(text);
}
