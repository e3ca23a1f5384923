import { TimeSlice } from './time-slice.js';

/** Runs work that would block the event loop; each `yield` is a place where others may go first. Gives its result. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  const turn = new TimeSlice();
  await turn.begin();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await turn.pause();
  }
}
