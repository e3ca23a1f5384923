import { messageOf } from '../../kernel/errors/message-of.js';
import type { SqlCompiler } from '../../kernel/sql/sql-compiler.js';
import type { SharedTurns } from '../../kernel/turn-queue.js';
import { SqliteCompiler } from '../../kernel/sql/sqlite-compiler.js';
import { dirname } from 'node:path';
import type { DatabaseDriver } from '../../config/roost-config.js';
import { createPrivateFile, DataDirectory } from '../data-directory.js';
import { DataDirectoryError } from '../data-directory.error.js';
import type { DatabaseConnections, Dialect, OpeningOptions } from '../dialect.js';
import { BetterSqlite3Driver } from './better-sqlite3-driver.js';
import { SqliteConnections } from './sqlite-connections.js';
import type { SqliteDriver } from './sqlite-driver.js';
import { SQLITE_SCHEMA_DDL } from './sqlite-schema-ddl.js';
import { requireHarmless } from './sqlite-text.js';
import { Sqlite3Driver } from './sqlite3-driver.js';

/** Where the file is, and the limit of a reading statement in seconds. */
export interface SqliteDialectOptions {
  readonly file: string;
  readonly driver: SqliteDriver;
  readonly queryTimeout: number;
  /** As in SqliteOptions. */
  readonly ownTable?: string;
  /** As in SqliteOptions. */
  readonly turns?: SharedTurns;
  /** Whether it is marked while it is filled; false for one that goes with another one that is. */
  readonly isMarked?: boolean;
}

/** The driver of this process, by its name in DATABASE_DRIVER. */
export function sqliteDriver(name: DatabaseDriver): SqliteDriver {
  return name === 'sqlite3' ? new Sqlite3Driver() : new BetterSqlite3Driver();
}

/** SQLite in one file. */
export class SqliteDialect implements Dialect {
  readonly writersTakeTurns = true;
  readonly hasTypedColumns = false;
  readonly snapshotsHaveTables = true;
  readonly schema = SQLITE_SCHEMA_DDL;

  constructor(private readonly options: SqliteDialectOptions) {}

  async connect({ fills }: OpeningOptions = {}): Promise<DatabaseConnections> {
    const { file } = this.options;
    await new DataDirectory(dirname(file)).prepare();
    await createPrivateFile(file);
    try {
      return await SqliteConnections.open({ ...this.options, fills: fills && this.options.isMarked });
    } catch (error) {
      const reason = messageOf(error);
      throw new DataDirectoryError(`The database ${file} cannot be opened: ${reason}`, { cause: error });
    }
  }

  quote(identifier: string): string {
    return `"${identifier.replaceAll('"', '""')}"`;
  }

  withPlaceholders(sql: string): string {
    return sql;
  }

  newCompiler(): SqlCompiler {
    return new SqliteCompiler();
  }

  requireHarmless(sql: string): void {
    requireHarmless(sql);
  }
}
