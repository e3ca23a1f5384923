import { vi } from 'vitest';

/** Milliseconds, as for `expect.poll`. A busy machine takes its time; what is never going to be fails later, that is all. */
const PATIENCE = 10_000;

/** Waits until a check no longer throws; its result. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: PATIENCE });
}
