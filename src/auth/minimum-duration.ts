import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds: longer than looking for an account takes, and hashing a code for it. */
export const MINIMUM_DURATION = 100;

/**
 * Does work and answers after a fixed time, so that the time of the answer does not tell which way the work went. Under
 * a load that makes the work longer than that, the load says more than the work does.
 */
export async function withMinimumDuration<T>(work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.all([work().then(fulfilled, rejected), sleep(MINIMUM_DURATION)]);
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
