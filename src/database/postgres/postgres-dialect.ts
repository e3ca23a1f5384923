import { PostgresCompiler } from '../../kernel/sql/postgres-compiler.js';
import type { SqlCompiler } from '../../kernel/sql/sql-compiler.js';
import type { DatabaseConnections, Dialect } from '../dialect.js';
import { DatabaseError } from '../database.error.js';
import { PostgresConnections, type PostgresOptions } from './postgres-connections.js';
import { POSTGRES_SCHEMA_DDL, quoteName } from './postgres-ddl.js';
import { requireHarmless } from './postgres-text.js';

/** PostgreSQL, 14 or newer. */
export class PostgresDialect implements Dialect {
  readonly schema = POSTGRES_SCHEMA_DDL;

  constructor(private readonly options: PostgresOptions) {}

  async connect(): Promise<DatabaseConnections> {
    try {
      return await PostgresConnections.open(this.options);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const kind = error instanceof DatabaseError ? error.kind : 'unavailable';
      throw new DatabaseError(
        kind,
        `The database ${placeOf(this.options.url)} cannot be used: ${reason}`,
        {},
        { cause: error },
      );
    }
  }

  quote(identifier: string): string {
    return quoteName(identifier);
  }

  newCompiler(): SqlCompiler {
    return new PostgresCompiler();
  }

  requireHarmless(sql: string): void {
    requireHarmless(sql);
  }
}

/** Where the database is, without the password. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'of DATABASE_URL';
  }
}
