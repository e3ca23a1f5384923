import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from '../kernel/maybe-promise.js';

/** Milliseconds of work at a time. Whoever waits meanwhile does so a few times, until a request is read and answered. */
const SLICE = 5;

/** Cuts long work into slices between which others have their turn (OPS-39). Asking costs next to nothing. */
export class TimeSlices {
  private end = performance.now() + SLICE;

  /** To be awaited between two steps: lets the event loop go round when the slice is used up. */
  pause(): MaybePromise<void> {
    if (performance.now() >= this.end) return this.nextTurn();
  }

  private async nextTurn(): Promise<void> {
    await nextTurn();
    this.end = performance.now() + SLICE;
  }
}
