import { urlsOf } from '../../config/database-hosts.js';
import { messageOf } from '../../kernel/errors/message-of.js';
import { PostgresCompiler } from '../../kernel/sql/postgres-compiler.js';
import { learnNames } from '../../kernel/sql/postgres-names.js';
import type { SqlCompiler } from '../../kernel/sql/sql-compiler.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { DatabaseConnections, Dialect, OpeningOptions, StoredRow, TypedColumn } from '../dialect.js';
import { DataDirectoryError } from '../data-directory.error.js';
import { insertOfRows } from './listed-rows.js';
import type { PostgresOptions } from './postgres-options.js';
import { POSTGRES_SCHEMA_DDL } from './postgres-ddl.js';
import { numberPlaceholders, quoteName, withStoredNames } from './postgres-spelling.js';
import { requireHarmless } from './postgres-text.js';

/** PostgreSQL, 14 or newer. */
export class PostgresDialect implements Dialect {
  readonly writersTakeTurns = false;
  readonly hasTypedColumns = true;
  readonly snapshotsHaveTables = false;
  readonly schema = POSTGRES_SCHEMA_DDL;

  constructor(private readonly options: PostgresOptions) {}

  /** The driver is loaded only where it is needed. */
  async connect({ fills }: OpeningOptions = {}): Promise<DatabaseConnections> {
    try {
      const { PostgresConnections } = await import('./postgres-connections.js');
      return await PostgresConnections.open({ ...this.options, fills });
    } catch (error) {
      const reason = messageOf(error);
      throw new DataDirectoryError(`The database ${placeOf(this.options.url)} cannot be used: ${reason}`, {
        cause: error,
      });
    }
  }

  async probe(look: (connections: DatabaseConnections) => Promise<void>): Promise<void> {
    const connections = await this.connect();
    try {
      await look(connections);
    } finally {
      await connections.close();
    }
  }

  insertOfRows(into: string, columns: readonly TypedColumn[], rows: readonly StoredRow[]): CompiledSql | undefined {
    return insertOfRows(into, columns, rows);
  }

  quote(identifier: string): string {
    return quoteName(identifier);
  }

  withPlaceholders(sql: string): string {
    return numberPlaceholders(sql);
  }

  withStoredNames(sql: string): string {
    return withStoredNames(sql);
  }

  learnNames(texts: Iterable<string>): void {
    learnNames(texts);
  }

  newCompiler(): SqlCompiler {
    return new PostgresCompiler();
  }

  requireHarmless(sql: string): void {
    requireHarmless(sql);
  }
}

/** Where the database is, without the password. */
export function placeOf(url: string): string {
  try {
    const urls = urlsOf(url).map((each) => new URL(each));
    return urls.map(({ host }) => host).join(',') + urls[0]!.pathname;
  } catch {
    return 'of DATABASE_URL';
  }
}
