import { versions } from 'node:process';
import type BetterSqlite3 from 'better-sqlite3';
import type { SqlValue } from '../../kernel/fields/field-type.js';
import { BetterSqlite3Connection } from './better-sqlite3-connection.js';
import { loadDriver } from './load-driver.js';
import type { OpenOptions, SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { translateSqliteError } from './sqlite-errors.js';

/**
 * Version 12 ends the process when Node.js 24.19 or newer collects one of its statements as garbage. Version 13 needs a
 * Node-API that Node.js 20 does not have.
 */
const PACKAGE = Number.parseInt(versions.node) >= 24 ? 'better-sqlite3-13' : 'better-sqlite3';

/** The default driver. Statements run on the calling thread, which is what makes the small ones cheap. */
export class BetterSqlite3Driver implements SqliteDriver {
  readonly name = 'better-sqlite3';
  readonly packageName = PACKAGE;
  readonly blocks = true;
  private loaded: typeof BetterSqlite3 | undefined;

  open(file: string, options: OpenOptions): Promise<SqliteConnection> {
    try {
      const Database = this.load();
      const handle = new Database(file, { readonly: options.readonly, timeout: options.busyTimeout });
      return Promise.resolve(new BetterSqlite3Connection(handle, this));
    } catch (error) {
      return Promise.reject(translateSqliteError(error));
    }
  }

  toNative(value: SqlValue): unknown {
    // The driver binds every number as REAL, and 1.0 compared with a text column is not '1'.
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
    if (value instanceof Uint8Array && !Buffer.isBuffer(value)) {
      return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return value;
  }

  /** On first use: a command that touches no database need not pay for the native code. */
  private load(): typeof BetterSqlite3 {
    return (this.loaded ??= loadDriver<typeof BetterSqlite3>(this.packageName, (Database) => {
      // Opening a database is what loads the native code.
      new Database(':memory:').close();
    }));
  }
}
