import { createHook } from '../hooks/create-hook.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { AuthMethod } from './auth.hooks.js';
import type { OAuth2User } from './oauth2/oauth2-user.js';

/** Somebody wants to be a record of an auth collection. */
interface SignInEvent {
  readonly collection: Collection;
  /** Who asks: usually a guest. */
  readonly caller: Caller;
}

/** Somebody typed an identity and a password. Nothing is known of either yet; a throw refuses the sign-in. */
export interface PasswordAuthEvent extends SignInEvent {
  readonly identity: string;
  /** The one field to look in, '' for all identity fields. */
  readonly identityField: string;
  readonly password: string;
  /** The account that has this identity; null when nobody has. A handler may name another of the same collection. */
  record: RecordModel | null;
  /**
   * Whether the password is right, where a handler knows: true for one that a hash of another system fits. Undefined
   * leaves it to the hash that is stored.
   */
  isRight: boolean | undefined;
}

/** A provider has said who somebody is. A throw refuses the sign-in. */
export interface OAuth2AuthEvent extends SignInEvent {
  /** Name of the provider. */
  readonly provider: string;
  /** What the provider says: `rawUser` is its own words, `accessToken` and `refreshToken` are its tokens. */
  readonly user: OAuth2User;
  /** The account that will be signed in; null when one will be made. A handler may name another of the collection. */
  record: RecordModel | null;
  readonly isNew: boolean;
  /** Values of a new account. */
  createData: Readonly<Record<string, unknown>>;
}

/** Somebody has brought the code that was mailed. It is right, and still to be used up. A throw refuses the sign-in. */
export interface OtpAuthEvent extends SignInEvent {
  readonly otpId: string;
  readonly record: RecordModel;
}

/** A sign-in is complete, and its answer is about to be made. A throw refuses it. */
export interface AuthResponseEvent {
  readonly record: RecordModel;
  readonly method: AuthMethod;
  readonly caller: Caller;
  /** How long the token will be good for, in seconds. Without effect where a present token is returned again. */
  duration: number;
  /** What is told besides token and record. Left out of the answer when it is empty. */
  meta: Record<string, unknown>;
}

/**
 * Before the password of a sign-in is compared, for known and unknown identities alike. A handler may name the record
 * or say whether the password is right; whatever it says, throttles, rules and a second method hold.
 */
export const BeforeAuthWithPassword = createHook<PasswordAuthEvent>('BeforeAuthWithPassword');
/** After a provider has confirmed a sign-in, before an account is found or made for it. */
export const BeforeAuthWithOAuth2 = createHook<OAuth2AuthEvent>('BeforeAuthWithOAuth2');
/** After a one-time password was found to be right, before it is used up. */
export const BeforeAuthWithOtp = createHook<OtpAuthEvent>('BeforeAuthWithOtp');
/** Before the answer to every way of signing in, refreshing and impersonating: the life of the token, and `meta`. */
export const BeforeAuthResponse = createHook<AuthResponseEvent>('BeforeAuthResponse');
