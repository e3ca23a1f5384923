import type { MaybePromise } from './maybe-promise.js';

/** Rejects as soon as the signal aborts, without waiting for the work, whose result is then ignored. */
export async function unlessAborted<T>(work: () => MaybePromise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
