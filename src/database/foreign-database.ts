import type { DatabaseDriver } from '../config/roost-config.js';
import type { CompiledSql } from './compiled-sql.js';
import { sqliteDriver } from './sqlite/sqlite-dialect.js';
import type { SqliteConnection } from './sqlite/sqlite-driver.js';

const BUSY_TIMEOUT = 5_000;

/** A database file of another program, opened for reading only. Close it when done. */
export class ForeignDatabase {
  private constructor(private readonly connection: SqliteConnection) {}

  /** Rejects with a DatabaseError when the file is missing or no database. */
  static async open(file: string, driver: DatabaseDriver): Promise<ForeignDatabase> {
    const connection = await sqliteDriver(driver).open(file, { readonly: true, busyTimeout: BUSY_TIMEOUT });
    return new ForeignDatabase(connection);
  }

  async all<Row>(statement: CompiledSql): Promise<Row[]> {
    return this.connection.all<Row>(statement);
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
