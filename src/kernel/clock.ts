/** Tells the time. Everything that depends on the time asks a Clock, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * As `now`, for callers that have `performance.now()` at hand and ask for each request: it may repeat the result of
   * the same millisecond, which is much faster.
   */
  at?(moment: number): number;
}

/** The time of a clock at a moment (by `performance.now()`) that is just over. */
export function timeAt(clock: Clock, moment: number): number {
  return clock.at === undefined ? clock.now() : clock.at(moment);
}
