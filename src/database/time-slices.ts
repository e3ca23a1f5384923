import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from '../kernel/maybe-promise.js';

/**
 * Milliseconds of work without a break. A request that arrives meanwhile needs a few rounds until it is read and
 * answered.
 */
const SLICE = 5;

/**
 * Divides long work into slices between which other code runs (OPS-39). Unlike an EventLoopTurn it waits behind no
 * other long work, because writers wait for what runs inside a transaction. Calling `pause` is cheap.
 */
export class TimeSlices {
  private end: number;

  /** `length`: milliseconds of a slice. */
  constructor(private readonly length = SLICE) {
    this.end = performance.now() + length;
  }

  /** To be awaited between two steps: lets the event loop go round when the slice is used up. */
  pause(): MaybePromise<void> {
    if (performance.now() >= this.end) return this.nextTurn();
  }

  private async nextTurn(): Promise<void> {
    await nextTurn();
    this.end = performance.now() + this.length;
  }
}
