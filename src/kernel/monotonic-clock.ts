import type { Clock } from './clock.js';

/**
 * A clock for durations: it goes on from where it was when the other one is set back. What began before would otherwise
 * not be over until the time it began at comes again, which may take years after a machine was started with a wrong date.
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
