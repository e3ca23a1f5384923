import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs work and answers no sooner than after this many milliseconds, so that the time of the answer does not tell
 * which of two ways the work went as long as both are shorter.
 */
export async function takeAtLeast<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.all([work().then(fulfilled, rejected), sleep(milliseconds)]);
  return outcome();
}

function fulfilled<T>(value: T): () => T {
  return () => value;
}

function rejected(error: unknown): () => never {
  return () => {
    throw error;
  };
}
