import type { CompiledSql, Database } from '../../src/database/database.js';
import type { StatementResult } from '../../src/database/dialect.js';
import type { SqlValue } from '../../src/kernel/fields/field-type.js';

/** A database with the table `notes (id, text, number)` for a test. */
export interface NotesDatabase {
  readonly database: Database;
  /** A statement, with a `?` for each value whatever the database calls its places. */
  sql(text: string, ...params: SqlValue[]): CompiledSql;
  /** The column that numbers rows in the order in which they came. */
  readonly insertionOrder: string;
  remove(): Promise<void>;
}

/** What tests do with the table all the time. */
export interface Notes {
  insert(id: string, text?: string): Promise<StatementResult>;
  /** The ids of all rows, in the order in which they came. */
  ids(from?: Database): Promise<string[]>;
}

export function notesIn({ database, sql, insertionOrder }: NotesDatabase): Notes {
  return {
    insert: (id, text = '') =>
      database.run({ ...sql('INSERT INTO notes (id, text) VALUES (?, ?)', id, text), writes: ['notes'] }),
    ids: async (from = database) => {
      const rows = await from.all<{ id: string }>(sql(`SELECT id FROM notes ORDER BY ${insertionOrder}`));
      return rows.map(({ id }) => id);
    },
  };
}
