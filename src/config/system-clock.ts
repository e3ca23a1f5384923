import type { Clock } from '../kernel/clock.js';

/** The machine's own clock. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }
}
