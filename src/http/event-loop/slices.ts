import { Turn } from './turn.js';

/** Does work that would hold others up, which says by `yield` where it can be left for a moment. Its result. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  const turn = new Turn();
  await turn.begin();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await turn.pause();
  }
}
