import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { timerLength } from '../../kernel/timer-length.js';

/** Runs work with a signal that aborts with a 400 once the seconds are over; 0 is no limit. */
export async function withinLimit<T>(seconds: number, work: (signal?: AbortSignal) => Promise<T>): Promise<T> {
  if (seconds <= 0) return work();
  const controller = new AbortController();
  const cutOff = (): void => controller.abort(new BadRequestError('The query took too long and was cut off.'));
  const timer = setTimeout(cutOff, timerLength(seconds * 1000));
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
