import type * as Sqlite3 from 'sqlite3';
import type { SqlValue } from '../../kernel/fields/field-type.js';
import { loadDriver } from './load-driver.js';
import type { OpenOptions, SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { translateSqliteError } from './sqlite-errors.js';
import { Sqlite3Connection } from './sqlite3-connection.js';

/**
 * The driver behind DATABASE_DRIVER=sqlite3. Statements run on the thread pool of the process. `verbose()` is never
 * called: it captures a stack for every call.
 */
export class Sqlite3Driver implements SqliteDriver {
  readonly name = 'sqlite3';
  readonly packageName = 'sqlite3';
  readonly blocks = false;

  async open(file: string, options: OpenOptions): Promise<SqliteConnection> {
    const sqlite3 = loadDriver<typeof Sqlite3>(this.packageName);
    const mode = options.readonly ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
    const handle = await new Promise<Sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(file, mode, (error) => {
        if (error) reject(translateSqliteError(error) as Error);
        else resolve(opened);
      });
    });
    handle.configure('busyTimeout', options.busyTimeout);
    return new Sqlite3Connection(handle, this);
  }

  toNative(value: SqlValue): unknown {
    // It cannot bind a bigint; integers beyond 32 bits travel as REAL.
    if (typeof value === 'bigint') return Number(value);
    if (value instanceof Uint8Array && !Buffer.isBuffer(value)) {
      return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return value;
  }
}
