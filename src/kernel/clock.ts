/** What time it is. Everything that expires, cools down or stamps asks a Clock, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * As `now`, for who knows which moment it is by `performance.now()`, and asks for each request: within a millisecond
   * a clock may say again what it said before, in a fraction of the time.
   */
  at?(moment: number): number;
}

/** What a clock says at a moment (by `performance.now()`) that has only just been. */
export function timeAt(clock: Clock, moment: number): number {
  return clock.at === undefined ? clock.now() : clock.at(moment);
}
