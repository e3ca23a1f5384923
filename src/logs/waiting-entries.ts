import type { NewLogEntry, WaitingEntry } from './log-entry.js';

/**
 * Log entries in the order in which they came. Their times stand apart, because numbers in a list of numbers cost no
 * object each.
 */
export class WaitingEntries {
  private times: number[] = [];
  private entries: NewLogEntry[] = [];

  get length(): number {
    return this.entries.length;
  }

  /** `at`: milliseconds since the Unix epoch. */
  add(at: number, entry: NewLogEntry): void {
    this.times.push(at);
    this.entries.push(entry);
  }

  /** Takes the oldest ones out. */
  shift(count: number): NewLogEntry[] {
    this.times.splice(0, count);
    return this.entries.splice(0, count);
  }

  /** Takes all out. */
  shiftAll(): WaitingEntry[] {
    const { times, entries } = this;
    this.times = [];
    this.entries = [];
    return entries.map((entry, index) => ({ at: times[index], entry }));
  }

  /** Puts entries in front of those that came meanwhile. */
  unshift(entries: readonly WaitingEntry[]): void {
    this.times = [...entries.map(({ at }) => at), ...this.times];
    this.entries = [...entries.map(({ entry }) => entry), ...this.entries];
  }
}
