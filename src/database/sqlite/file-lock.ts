import { DatabaseError } from '../database.error.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';

const LONG = 2 ** 31 - 1;

/** An exclusive lock on a file, which the operating system drops with the process, whatever ends that. */
export class FileLock {
  // Keeps a reference: the garbage collector would close an unused handle, and the lock with it.
  private readonly anchor = setInterval(() => this.connection, LONG).unref();

  private constructor(private readonly connection: SqliteConnection) {}

  /**
   * Locks a file that is a SQLite database or empty. Undefined while another process has the lock; rejects where the
   * file cannot be locked at all.
   */
  static async tryAcquire(driver: SqliteDriver, file: string): Promise<FileLock | undefined> {
    try {
      const connection = await driver.open(file, { readonly: false, busyTimeout: 0 });
      try {
        // Nothing is written to the file, so a journal on disk would be pointless.
        await connection.command('PRAGMA journal_mode = MEMORY');
        await connection.command('BEGIN EXCLUSIVE');
        return new FileLock(connection);
      } catch (error) {
        await connection.close();
        throw error;
      }
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'busy') return undefined;
      throw error;
    }
  }

  async release(): Promise<void> {
    clearInterval(this.anchor);
    await this.connection.close();
  }
}
