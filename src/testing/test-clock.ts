import type { Clock } from '../kernel/clock.js';

/** Runs what is due after one moment and until another, and sets the time for each. */
type RunDue = (after: number, until: number, turn: (moment: number) => void) => Promise<void>;

/** A clock that tests control. It runs with the machine's clock, shifted by what was advanced, or stands still. */
export class TestClock implements Clock {
  private shift = 0;
  private frozenAt: number | null = null;
  private runDue: RunDue | undefined;

  now(): number {
    return this.frozenAt ?? Date.now() + this.shift;
  }

  /** Moves the clock forward (or back) by milliseconds at once, as if the process had been down: no job runs. */
  advance(milliseconds: number): void {
    if (this.frozenAt !== null) this.frozenAt += milliseconds;
    else this.shift += milliseconds;
  }

  /**
   * Lets milliseconds pass: the scheduled jobs of the application that become due run one after another, each at its
   * own time. Resolves when the last of them has ended. A job that throws is logged, as always.
   */
  async pass(milliseconds: number): Promise<void> {
    const from = this.now();
    const until = from + milliseconds;
    await this.runDue?.(from, until, (moment) => this.turnTo(moment));
    this.turnTo(until);
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

  /** Sets the application whose jobs run while time passes; `createTestRoost` does so. */
  drive(runDue: RunDue): void {
    this.runDue = runDue;
  }

  private turnTo(moment: number): void {
    this.advance(Math.max(0, moment - this.now()));
  }
}
