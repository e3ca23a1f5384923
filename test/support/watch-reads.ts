import { vi } from 'vitest';
import type { CompiledSql, Database } from '../../src/database/database.js';

/** Every statement that is read with from now on, in order, until mocks are restored. `before` is waited for. */
export function watchReads(database: Database, before?: (statement: CompiledSql) => Promise<void>): CompiledSql[] {
  const seen: CompiledSql[] = [];
  for (const name of ['rows', 'sharedRows'] as const) {
    const read = database[name].bind(database) as typeof database.rows;
    vi.spyOn(database, name).mockImplementation(((statement: CompiledSql) => {
      seen.push(statement);
      return before ? before(statement).then(() => read(statement)) : read(statement);
    }) as typeof database.rows);
  }
  return seen;
}
