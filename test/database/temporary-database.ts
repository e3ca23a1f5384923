import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseDriver } from '../../src/config/roost-config.js';
import type { SqlValue } from '../../src/kernel/fields/field-type.js';
import { Database, type CompiledSql, type DatabaseOptions } from '../../src/database/database.js';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import type { NotesDatabase } from './notes.js';

/** A statement in one line. */
export function sql(text: string, ...params: SqlValue[]): CompiledSql {
  return { sql: text, params };
}

export interface TemporaryDatabase extends NotesDatabase {
  readonly directory: string;
  readonly file: string;
  /** A second Database on the same file, as another process would have it. */
  another(): Database;
}

/** A database in a directory of its own, with the table `notes (id, text)`, that rests as the server does. */
export async function temporaryDatabase(
  driver: DatabaseDriver,
  options: DatabaseOptions & { readonly queryTimeout?: number } = {},
): Promise<TemporaryDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'roost-database-'));
  const file = join(directory, 'data.db');
  const { queryTimeout = 30, ...rest } = options;
  const opened: Database[] = [];
  const open = (): Database => {
    const dialect = new SqliteDialect({ file, driver: sqliteDriver(driver), queryTimeout });
    const database = new Database(dialect, { allowsBegin: false, ...rest });
    opened.push(database);
    return database;
  };
  const database = open();
  await database.run(sql('CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, text TEXT, number NUMERIC)'));
  return {
    database,
    sql,
    insertionOrder: 'rowid',
    directory,
    file,
    another: open,
    async remove() {
      for (const each of opened) await each.lifecycle.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
