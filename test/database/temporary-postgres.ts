import { Database, type DatabaseOptions } from '../../src/database/database.js';
import { PostgresDialect } from '../../src/database/postgres/postgres-dialect.js';
import type { PostgresCluster } from '../support/postgres-cluster.js';
import type { NotesDatabase } from './notes.js';

export interface TemporaryPostgres extends NotesDatabase {
  readonly url: string;
  /** A second Database on the same one, as another process would have it, or at another address. */
  another(at?: string): Database;
}

/** A database of its own on the cluster, with the table `notes`. */
export async function temporaryPostgres(
  cluster: PostgresCluster,
  { queryTimeout = 30, pool = 10, ...options }: DatabaseOptions & { queryTimeout?: number; pool?: number } = {},
): Promise<TemporaryPostgres> {
  const url = await cluster.newDatabase();
  const opened: Database[] = [];
  const another = (at = url): Database => {
    const database = new Database(new PostgresDialect({ url: at, pool, queryTimeout }), {
      allowsBegin: false,
      ...options,
    });
    opened.push(database);
    return database;
  };
  const database = another();
  const columns =
    'id TEXT PRIMARY KEY, text TEXT, number DOUBLE PRECISION, "_rowid_" BIGINT GENERATED ALWAYS AS IDENTITY';
  await database.run({ sql: `CREATE TABLE notes (${columns})`, params: [] });
  return {
    database,
    url,
    another,
    insertionOrder: '"_rowid_"',
    sql: (text, ...params) => {
      let place = 0;
      return { sql: text.replace(/\?/g, () => `$${++place}`), params };
    },
    remove: async () => {
      for (const each of opened) await each.lifecycle.close();
    },
  };
}
