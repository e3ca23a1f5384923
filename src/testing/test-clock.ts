import type { Clock } from '../kernel/clock.js';

/** A clock that tests turn. It runs with the machine's clock, shifted by what was advanced, or stands still. */
export class TestClock implements Clock {
  private shift = 0;
  private frozenAt: number | null = null;

  now(): number {
    return this.frozenAt ?? Date.now() + this.shift;
  }

  /** Moves the clock forward (or back) by milliseconds. */
  advance(milliseconds: number): void {
    if (this.frozenAt !== null) this.frozenAt += milliseconds;
    else this.shift += milliseconds;
  }

  /** Stops the clock at a moment (milliseconds since the Unix epoch), by default the present one. */
  freeze(at: number = this.now()): void {
    this.frozenAt = at;
  }

  /** Lets the clock run with the machine's again, without any shift. */
  reset(): void {
    this.frozenAt = null;
    this.shift = 0;
  }
}
