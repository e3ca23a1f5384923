import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { compactVerify } from 'jose/jws/compact/verify';
import { decodeJwt } from 'jose/jwt/decode';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { parseClaims, TOKEN_OPTIONS, type TokenClaims, type TokenType } from './token-claims.js';
import { lruCache } from '../kernel/lru-cache.js';

/** What may differ between two tokens of one type. */
export interface IssueOptions {
  /** Seconds; the collection's duration when it is absent or 0. */
  readonly duration?: number;
  /** Only of `auth`: whether `auth-refresh` may exchange the token for a new one. */
  readonly refreshable?: boolean;
  /** Only of `emailChange`. */
  readonly newEmail?: string;
}

/** A signature that was checked, and the key it was checked with. */
interface ProvenToken {
  readonly payload: unknown;
  readonly key: string;
}

/** With what every token begins that is issued here. */
const HEADER = `${Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')}.`;

/** Verified signatures remembered at most; about a kilobyte each. */
const REMEMBERED_TOKENS = 10_000;

/** Longer than any token issued here could be; keeps foreign ones from costing more than a glance. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * Three parts in base64url without padding. The last character of the signature has two bits to spare, which decoders
 * overlook: only one of its four spellings counts, so that a token that was altered anywhere is another one.
 */
const SPELLING = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/**
 * Issues and verifies the five types of token: JWTs signed with HS256 by the record's own key together with a secret
 * of its collection, so that replacing either of the two ends them.
 *
 * A signature that was checked is remembered together with the key it was checked with: a rotated key no longer fits,
 * and times are looked at anew on every call.
 */
@Injectable()
export class TokensService {
  private readonly proven = lruCache<string, ProvenToken>(REMEMBERED_TOKENS);

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** A new token for a stored record of an auth collection. Throws when the collection is of another type. */
  async issue(record: RecordModel, type: TokenType, options: IssueOptions = {}): Promise<string> {
    const key = signingKey(record, type);
    if (key === undefined) throw new Error(`No token can be issued for a record of "${record.collection.name}".`);
    const duration = options.duration || record.collection.auth![TOKEN_OPTIONS[type]].duration;
    const claims = {
      collectionId: record.collection.id,
      ...(type === 'auth' || type === 'file' ? {} : { email: record.get('email') }),
      exp: Math.floor(this.clock.now() / 1000) + duration,
      id: record.id,
      ...(type === 'emailChange' ? { newEmail: options.newEmail ?? '' } : {}),
      ...(type === 'auth' ? { refreshable: options.refreshable ?? false } : {}),
      type,
    };
    return sign(JSON.stringify(claims), key);
  }

  /** A claim that is a text, whatever token it stands in and however old it is; '' when there is none. Unproven. */
  textClaim(token: string, name: string): string {
    try {
      const value = token.length > MAX_TOKEN_LENGTH ? undefined : decodeJwt(token)[name];
      return typeof value === 'string' ? value : '';
    } catch {
      return '';
    }
  }

  /**
   * What a token claims to be: good for finding the record it names and for nothing else, because nothing is proven.
   * Undefined when it is no token, has expired or lacks a claim.
   */
  parseUnverified(token: string): TokenClaims | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    try {
      return parseClaims(this.proven.get(token)?.payload ?? decodeJwt(token), this.clock.now());
    } catch {
      return undefined;
    }
  }

  /** The claims of a token of this type for this record; undefined when anything at all is wrong with it. */
  async verify(token: string, type: TokenType, record: RecordModel): Promise<TokenClaims | undefined> {
    const key = signingKey(record, type);
    if (key === undefined) return undefined;
    const claims = parseClaims(await this.checkSignature(token, key), this.clock.now());
    if (claims?.type !== type || claims.id !== record.id) return undefined;
    return claims.collectionId === record.collection.id ? claims : undefined;
  }

  /** The payload when the signature is right, compared in constant time. */
  private async checkSignature(token: string, key: string): Promise<unknown> {
    const known = this.proven.get(token);
    if (known?.key === key) return known.payload;
    if (token.length > MAX_TOKEN_LENGTH || !SPELLING.test(token)) return undefined;
    try {
      const payload = token.startsWith(HEADER) ? verify(token, key) : await verifyOther(token, key);
      if (payload === undefined) return undefined;
      const proven = { payload: JSON.parse(payload) as unknown, key };
      this.proven.set(token, proven);
      return proven.payload;
    } catch {
      return undefined;
    }
  }
}

/**
 * A JWS in compact serialization (RFC 7515, section 7.1). jose would import the key anew and go to the thread pool for
 * each one: two fifths of the time of a refresh, and a third of the first request with a token.
 */
function sign(payload: string, key: string): string {
  const input = `${HEADER}${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${signatureOf(input, key).toString('base64url')}`;
}

/** The payload of a token with the header of those that are issued here; undefined when its signature is wrong. */
function verify(token: string, key: string): string | undefined {
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  if (!timingSafeEqual(signature, signatureOf(token.slice(0, end), key))) return undefined;
  return Buffer.from(token.slice(HEADER.length, end), 'base64url').toString();
}

/** The same of a token whose header is written in another way. Throws when its signature is wrong. */
async function verifyOther(token: string, key: string): Promise<string> {
  const { payload } = await compactVerify(token, encode(key), { algorithms: ['HS256'] });
  return new TextDecoder().decode(payload);
}

function signatureOf(input: string, key: string): Buffer {
  return createHmac('sha256', key).update(input).digest();
}

/** AUTH-302. Undefined without a key of the record: the collection's secret alone must never sign. */
function signingKey(record: RecordModel, type: TokenType): string | undefined {
  const tokenKey = record.get('tokenKey');
  const secret = record.collection.auth?.[TOKEN_OPTIONS[type]].secret;
  return typeof tokenKey === 'string' && tokenKey !== '' && secret ? tokenKey + secret : undefined;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
