import type { JsonObject } from '../../kernel/json-object.js';
import type { IdTokenClaims, IdTokenExpectations, IdTokenVerifier } from './id-token-verifier.js';
import { limitedFetch, type LimitedReply, parseJsonObject } from './limited-fetch.js';
import type { OAuth2Client } from './oauth2-client.js';
import type { TokenReply } from './token-exchange.js';

/**
 * One person's connection to a provider, from the exchanged code to the answer: what provider definitions work with.
 */
export class OAuth2Session {
  constructor(
    readonly client: OAuth2Client,
    readonly tokens: TokenReply,
    private readonly idTokens: IdTokenVerifier,
    private readonly signal: AbortSignal,
  ) {}

  /** The JSON object at an address, asked for with the access token. Throws on a status of 400 or more. */
  async getJson(url: string, headers: Readonly<Record<string, string>> = {}): Promise<JsonObject> {
    return parseJsonObject((await this.get(url, headers)).text);
  }

  /** The JSON value at an address, undefined when the provider says that there is none for this person. */
  async findJson(url: string): Promise<unknown> {
    const response = await this.request(url, { method: 'GET' });
    if ([401, 403, 404].includes(response.status)) return undefined;
    return JSON.parse(accepted(url, response).text) as unknown;
  }

  /** The answer of a GraphQL endpoint. Throws on a status of 400 or more. */
  async queryGraphQL(url: string, query: string): Promise<JsonObject> {
    const init = { method: 'POST', body: JSON.stringify({ query }), headers: { 'content-type': 'application/json' } };
    return parseJsonObject(accepted(url, await this.request(url, init)).text);
  }

  /** The claims of the id token. Throws when there is none or it is not what was expected. */
  readIdToken(expectations: IdTokenExpectations): Promise<IdTokenClaims> {
    return this.idTokens.verify(this.tokens.idToken, expectations, this.signal);
  }

  private async get(url: string, headers: Readonly<Record<string, string>>): Promise<LimitedReply> {
    return accepted(url, await this.request(url, { method: 'GET', headers }));
  }

  private request(url: string, init: { method: string; headers?: object; body?: string }): Promise<LimitedReply> {
    return limitedFetch(url, {
      ...init,
      headers: {
        accept: 'application/json',
        authorization: `${this.tokens.tokenType} ${this.tokens.accessToken}`,
        'user-agent': 'roost',
        ...init.headers,
      },
      signal: this.signal,
    });
  }
}

function accepted(url: string, reply: LimitedReply): LimitedReply {
  if (reply.status < 400) return reply;
  throw new Error(`${new URL(url).host} answered ${reply.status}.`);
}
