import type { Clock } from '../kernel/clock.js';

/** The machine's own clock. */
export class SystemClock implements Clock {
  private time = 0;
  /** When the machine was asked for `time`, by `performance.now()`. */
  private askedAt = -Infinity;

  now(): number {
    return Date.now();
  }

  at(moment: number): number {
    const since = moment - this.askedAt;
    // Requests do not end in the order in which they came: what is asked may be a little earlier than what was.
    if (since >= 1 || since <= -1) {
      this.askedAt = moment;
      this.time = Date.now();
    }
    return this.time;
  }
}
