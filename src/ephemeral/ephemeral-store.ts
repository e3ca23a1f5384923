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
 * What is remembered for a short time: values that expire, and counters in fixed windows that begin with the first count.
 * All throttles and everything else that is worth little after a restart are here (AUTH-1505); a store that several
 * processes share makes them hold for all of these (SCALE-24). Rate limits have a store of their own.
 *
 * A key is `space:rest`, and a space has either values or counters. Each method is one step: of two that come at the same
 * time, one is first. A store in memory answers at once, a shared one later.
 */
export interface EphemeralStore {
  /** A value; undefined when there is none, or its time is over. */
  get(key: string): MaybePromise<EphemeralValue | undefined>;
  /** Keeps a value for so long, in the place of an earlier one. */
  set(key: string, value: EphemeralValue, milliseconds: number): MaybePromise<void>;
  /** Sets a value unless there is one. True when it did: of any number of callers one is told so. */
  setIfAbsent(key: string, value: EphemeralValue, milliseconds: number): MaybePromise<boolean>;
  /** Deletes a value and gives it: of any number of callers one gets it. */
  take(key: string): MaybePromise<EphemeralValue | undefined>;
  /** Deletes a value or a counter. */
  delete(key: string): MaybePromise<void>;
  /** Counts one more, in a window of that many milliseconds when there is none. What comes out has this one in it. */
  count(key: string, milliseconds: number): MaybePromise<CountedWindow>;
  /** A window as it stands, without counting. */
  read(key: string): MaybePromise<CountedWindow | undefined>;
}
