import type { Clock } from './clock.js';

/**
 * A clock for durations: it goes on when the system clock is set back. Otherwise whatever began before would not expire
 * until that time comes again, which may take years after a start with a wrong date.
 */
export class MonotonicClock implements Clock {
  private latest = -Infinity;
  private shift = 0;

  constructor(private readonly clock: Clock) {}

  /** Milliseconds since the Unix epoch as long as the clock was never set back; never less than before. */
  now(): number {
    const now = this.clock.now();
    if (now + this.shift < this.latest) this.shift = this.latest - now;
    return (this.latest = now + this.shift);
  }
}
