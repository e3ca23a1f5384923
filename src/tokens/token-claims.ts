import type { TokenKind } from '../kernel/collections/auth-options.js';

/** What a token is for; a token of one type is worthless everywhere else. */
export type TokenType = 'auth' | 'file' | 'verification' | 'passwordReset' | 'emailChange';

/** What a token says (AUTH-303). Believe it only when `TokensService.verify` returned it. */
export interface TokenClaims {
  readonly id: string;
  readonly collectionId: string;
  readonly type: TokenType;
  /** Whole seconds since the Unix epoch. */
  readonly exp: number;
  /** Whether `auth-refresh` may exchange it for a new one. */
  readonly refreshable: boolean;
  /** The record's address when the token was issued; '' where the type carries none. */
  readonly email: string;
  /** Only of `emailChange`. */
  readonly newEmail: string;
}

/** The options of a collection that hold secret and duration of each type. */
export const TOKEN_OPTIONS: Readonly<Record<TokenType, TokenKind>> = {
  auth: 'authToken',
  file: 'fileToken',
  verification: 'verificationToken',
  passwordReset: 'passwordResetToken',
  emailChange: 'emailChangeToken',
};

/**
 * Checks the shape of a payload and its times (AUTH-304). Undefined when a claim is missing or of the wrong kind, when
 * the token has expired, or when it is not valid yet.
 */
export function parseClaims(payload: unknown, now: number): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { id, collectionId, type, exp, nbf, iat, refreshable, email, newEmail } = payload as Record<string, unknown>;
  if (!isText(id) || !isText(collectionId) || !isTokenType(type)) return undefined;
  if (typeof exp !== 'number' || exp * 1000 <= now) return undefined;
  if (isLater(nbf, now) || isLater(iat, now)) return undefined;
  return {
    id,
    collectionId,
    type,
    exp,
    refreshable: refreshable === true,
    email: isText(email) ? email : '',
    newEmail: isText(newEmail) ? newEmail : '',
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTokenType(value: unknown): value is TokenType {
  return typeof value === 'string' && Object.hasOwn(TOKEN_OPTIONS, value);
}

/** A moment that is not a number counts as later: such a token was not made by us. */
function isLater(moment: unknown, now: number): boolean {
  return moment !== undefined && !(typeof moment === 'number' && moment * 1000 <= now);
}
