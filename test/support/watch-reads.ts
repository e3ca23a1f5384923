import { vi } from 'vitest';
import type { CompiledSql, Database } from '../../src/database/database.js';
import type { MaybePromise } from '../../src/kernel/maybe-promise.js';

/** Runs a statement, in its own way. */
type Around = (run: () => MaybePromise<never[]>, statement: CompiledSql) => MaybePromise<never[]>;

/** Every statement that is read with from now on, in order, until mocks are restored. */
export function watchReads(database: Database, around: Around = (run) => run()): CompiledSql[] {
  const seen: CompiledSql[] = [];
  const { reads } = database;
  for (const way of ['rows', 'rowsByKey'] as const) {
    const read = reads[way].bind(reads) as (statement: CompiledSql) => MaybePromise<never[]>;
    vi.spyOn(reads, way).mockImplementation((statement) => {
      seen.push(statement);
      return around(() => read(statement), statement);
    });
  }
  return seen;
}
