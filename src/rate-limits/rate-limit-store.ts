/** DI token of the RateLimitStore. */
export const RATE_LIMIT_STORE = Symbol('RATE_LIMIT_STORE');

/** How many tokens a window has, and how long it lasts. */
export interface RateLimitWindow {
  /** Milliseconds from the first token taken until all are back. */
  readonly duration: number;
  readonly tokens: number;
}

/**
 * Counts requests in fixed windows: the first token taken under a key opens one, and when it is over the next token
 * opens another. A store shared by several instances may answer later; a store in memory answers at once.
 */
export interface RateLimitStore {
  /**
   * Takes a token. 0 when there was one, otherwise the milliseconds until there will be. `moment`: when it is asked
   * for, by `performance.now()`, for stores that would ask a clock each time.
   */
  take(key: string, window: RateLimitWindow, moment: number): number | Promise<number>;
  /** Removes all windows. */
  clear(): void | Promise<void>;
  /** Removes expired windows, to save memory. */
  prune(): void | Promise<void>;
}
