import type { Clock } from '../kernel/clock.js';

/** The machine's own clock. */
export class SystemClock implements Clock {
  private time = 0;
  /** When the system time was last read, by `performance.now()`. */
  private askedAt = -Infinity;

  now(): number {
    return Date.now();
  }

  at(moment: number): number {
    const since = moment - this.askedAt;
    // Requests end in another order than they begin, so the moment may be a little before the last one.
    if (since >= 1 || since <= -1) {
      this.askedAt = moment;
      this.time = Date.now();
    }
    return this.time;
  }
}
