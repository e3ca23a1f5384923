import { Logger } from '@nestjs/common';
import { messageOf } from '../../kernel/errors/message-of.js';
import type { DataDirectory } from '../data-directory.js';
import { createPrivateFile } from '../data-directory.js';
import { DataDirectoryError } from '../data-directory.error.js';
import { networkFileSystemOf } from '../network-file-system.js';
import { FileLock } from './file-lock.js';
import { MissingDriverError } from './missing-driver.error.js';
import type { SqliteDriver } from './sqlite-driver.js';

/**
 * Keeps a data directory with its databases to one instance (with PostgreSQL see DirectoryUsers). The lock is an
 * exclusive transaction on `roost.lock`: the operating system drops it with the process, whatever ends that, so there
 * is never anything to clean up (OPS-172).
 *
 * Nothing else in the process may open `roost.lock`: closing any descriptor of it would drop the lock (OPS-173).
 */
export class DataDirLock {
  private readonly logger = new Logger(DataDirLock.name);
  private held?: FileLock;
  private holders = 0;

  constructor(
    private readonly directory: DataDirectory,
    private readonly driver: SqliteDriver,
    private readonly options: { readonly unsafeNoLock: boolean; readonly isHeldForUs?: boolean },
  ) {}

  /** Takes the lock until `release`. Throws a DataDirectoryError at once when another instance has it. */
  async acquire(): Promise<void> {
    if (await this.tryAcquire()) return;
    const { path } = this.directory;
    throw new DataDirectoryError(`The data directory ${path} is in use by another instance: database is locked.`);
  }

  /**
   * Takes the lock if no other instance has it. It may be taken more than once here, and is dropped with the last
   * `release`. Throws a DataDirectoryError when the place cannot be locked at all.
   */
  async tryAcquire(): Promise<boolean> {
    // The parent process of the workers holds the lock.
    if (this.options.isHeldForUs) return true;
    if (this.holders === 0) {
      await this.directory.prepare();
      try {
        await createPrivateFile(this.directory.lock);
        const held = await FileLock.tryAcquire(this.driver, this.directory.lock);
        // Another database of this process may have taken it meanwhile.
        if (!held) return false;
        this.held = held;
        await this.warnOfNetwork();
      } catch (error) {
        if (error instanceof MissingDriverError) throw error;
        this.requireUnsafe(error);
      }
    }
    this.holders += 1;
    return true;
  }

  /** Gives back what one `acquire` took; does nothing when nothing is held. */
  async release(): Promise<void> {
    if (this.holders === 0) return;
    this.holders -= 1;
    if (this.holders > 0) return;
    const { held } = this;
    this.held = undefined;
    await held?.release();
  }

  /**
   * Warns of a network file system: another machine cannot see SQLite's shared memory nor, on some mounts, the lock.
   */
  private async warnOfNetwork(): Promise<void> {
    const { path } = this.directory;
    const kind = await networkFileSystemOf(path);
    if (kind === undefined) return;
    this.logger.warn(
      `The data directory ${path} is on a network file system (${kind}). It must never be used from two machines at ` +
        'once, which a lock there may not prevent, and a disk of this machine is faster.',
    );
  }

  private requireUnsafe(error: unknown): void {
    const reason = messageOf(error);
    const message = `The data directory ${this.directory.path} cannot be locked: ${reason}`;
    if (!this.options.unsafeNoLock) throw new DataDirectoryError(message, { cause: error });
    this.logger.warn(`${message}. It is used without a lock.`);
  }
}
