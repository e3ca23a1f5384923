import type { EphemeralTable } from '../database/postgres/ephemeral-table.js';
import type { RateLimitStore, RateLimitWindow } from './rate-limit-store.js';

const SPACE = 'rate-limits';

/** Windows in the database that all instances share, measured by its clock. */
export class DatabaseRateLimitStore implements RateLimitStore {
  constructor(private readonly table: EphemeralTable) {}

  async take(key: string, { duration, tokens }: RateLimitWindow): Promise<number> {
    const { count, left } = await this.table.count(`${SPACE}:${key}`, duration);
    return count > tokens ? Math.max(1, left) : 0;
  }

  clear(): Promise<void> {
    return this.table.clear(SPACE);
  }

  /** Expired windows are deleted with the ephemeral values. */
  prune(): void {}
}
