import { Inject, Injectable } from '@nestjs/common';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { compactVerify } from 'jose/jws/compact/verify';
import { decodeJwt } from 'jose/jwt/decode';
import { LRUCache } from 'lru-cache';
import { CLOCK, ROOST_CONFIG } from '../../config/roost-config.js';
import type { RoostConfig } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json-object.js';
import { limitedFetch } from './limited-fetch.js';
import { isSameText } from './same-text.js';

/** The payload of an id token that passed. */
export type IdTokenClaims = JsonObject;

/** What an id token must be. */
export interface IdTokenExpectations {
  /** The client id; one of the audiences. Absent where a provider's tokens are only asked for their times. */
  readonly audience?: string;
  /** One of these; any when the list is empty. */
  readonly issuers: readonly string[];
  /** Where the keys are. '' trusts the connection to the token endpoint, as OpenID Connect Core 3.1.3.7 allows. */
  readonly jwksURL: string;
}

/** Signatures made with a private key. A shared secret (HS…) would let anyone who knows a public key sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Verifies id tokens: audience, issuer, times with leeway, and the signature against published keys. */
@Injectable()
export class IdTokenVerifier {
  private readonly keySets = new LRUCache<string, KeySet>({ max: 200 });

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** The claims of a good token. Throws, saying what is wrong, on any other. */
  async verify(token: string, expected: IdTokenExpectations, signal: AbortSignal): Promise<IdTokenClaims> {
    if (!token) throw new Error('The provider sent no id token.');
    const claims: IdTokenClaims = decodeJwt(token);
    this.checkTimes(claims);
    if (expected.audience !== undefined && !audiences(claims).includes(expected.audience)) {
      throw new Error('The id token is meant for another client.');
    }
    if (expected.issuers.length > 0 && !isOneOf(claims.iss, expected.issuers)) {
      throw new Error('The id token has an unexpected issuer.');
    }
    if (expected.jwksURL) {
      signal.throwIfAborted();
      await compactVerify(token, this.keySet(expected.jwksURL), { algorithms: ALGORITHMS });
    }
    return claims;
  }

  private checkTimes({ exp, iat, nbf }: IdTokenClaims): void {
    const now = this.clock.now() / 1000;
    const leeway = this.config.idTokenLeeway;
    if (typeof exp !== 'number' || exp + leeway <= now) throw new Error('The id token has expired.');
    for (const moment of [iat, nbf]) {
      if (moment !== undefined && !(typeof moment === 'number' && moment - leeway <= now)) {
        throw new Error('The id token is not valid yet.');
      }
    }
  }

  /** Kept between sign-ins: jose caches the keys and asks again when a token names one it does not know. */
  private keySet(url: string): KeySet {
    let keySet = this.keySets.get(url);
    if (!keySet) {
      keySet = createRemoteJWKSet(new URL(url), { timeoutDuration: 10_000, [customFetch]: fetchKeys });
      this.keySets.set(url, keySet);
    }
    return keySet;
  }
}

async function fetchKeys(url: string, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? AbortSignal.timeout(10_000);
  const reply = await limitedFetch(url, { ...init, signal });
  return new Response(reply.text, { status: reply.status });
}

function isOneOf(issuer: unknown, issuers: readonly string[]): boolean {
  return typeof issuer === 'string' && issuers.some((candidate) => isSameText(candidate, issuer));
}

function audiences({ aud }: IdTokenClaims): unknown[] {
  return Array.isArray(aud) ? aud : [aud];
}
