import type { MaybePromise } from '../kernel/maybe-promise.js';

/** DI token of the EphemeralStore. */
export const EPHEMERAL_STORE = Symbol('EPHEMERAL_STORE');

/** What JSON can carry: a store may be another process. */
export type EphemeralValue =
  string | number | boolean | null | readonly EphemeralValue[] | { readonly [name: string]: EphemeralValue };

/** A fixed window as it stands. */
export interface CountedWindow {
  readonly count: number;
  /** Milliseconds until it is over. */
  readonly left: number;
}

/**
 * Short-lived values and counters in fixed windows that begin with the first count. All throttles, and everything else
 * that may be lost at a restart, use it (AUTH-1505); a store shared by several processes makes them hold for all of
 * these (SCALE-24). Rate limits have a store of their own.
 *
 * A key is `space:rest`, and a space has either values or counters. Each method is atomic. A store in memory answers
 * synchronously, a shared one with a promise.
 */
export interface EphemeralStore {
  /** A value; undefined when there is none or it has expired. */
  get(key: string): MaybePromise<EphemeralValue | undefined>;
  /** Stores a value for so long, replacing an earlier one. */
  set(key: string, value: EphemeralValue, milliseconds: number): MaybePromise<void>;
  /** Stores a value unless there is one. True for exactly one of several concurrent callers. */
  setIfAbsent(key: string, value: EphemeralValue, milliseconds: number): MaybePromise<boolean>;
  /** Deletes a value and gives it, to exactly one of several concurrent callers. */
  take(key: string): MaybePromise<EphemeralValue | undefined>;
  /** Deletes a value or a counter. */
  delete(key: string): MaybePromise<void>;
  /** Counts one more and gives the result, in a new window of that many milliseconds when there is none. */
  count(key: string, milliseconds: number): MaybePromise<CountedWindow>;
  /** A window as it stands, without counting. */
  read(key: string): MaybePromise<CountedWindow | undefined>;
}
