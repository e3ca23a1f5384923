import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of work after which others have their turn. */
const SLICE = 10;

/** Does work that would hold others up, which says by `yield` where it can be left for a moment. Its result. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
    await turn();
  }
}
