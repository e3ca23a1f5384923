import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ownerOf, PROCESS_NAME } from '../config/temp-files.js';
import { createPrivateFile } from './data-directory.js';
import { DataDirectoryError } from './data-directory.error.js';
import { networkFileSystemOf } from './network-file-system.js';
import { FileLock } from './sqlite/file-lock.js';
import { MissingDriverError } from './sqlite/missing-driver.error.js';
import type { SqliteDriver } from './sqlite/sqlite-driver.js';

/** The lock of whoever enters, or keeps others from entering. */
const DOOR = 'door';
/** Milliseconds to wait for those who enter, and between two attempts to get a lock. */
const PATIENCE = 5_000;
const PAUSE = 50;
/** Milliseconds after which nobody works on what has not changed. */
const DAY = 24 * 60 * 60 * 1000;

/** Something that is held until it is released. */
export interface Releasable {
  release(): Promise<void>;
}

const NOTHING: Releasable = { release: () => Promise.resolve() };

/**
 * The processes that work in one data directory side by side, which they may where the records are in a database
 * elsewhere (SCALE-26). Each holds the lock on a file of its name, which the operating system drops with it: so others
 * tell its temporary files from those that an ended process has left.
 */
export class DirectoryUsers {
  /** Where the locks are. */
  readonly folder: string;
  private readonly logger = new Logger('DataDirectory');
  private own: Releasable | undefined;
  /** False on a file system without locks. */
  private hasLocks = true;
  /** Whether locks also tell who lives on other machines. */
  private areLocksKept = true;

  constructor(
    private readonly path: string,
    private readonly driver: SqliteDriver,
    private readonly options: { readonly unsafeNoLock: boolean },
  ) {
    this.folder = join(path, '.processes');
  }

  /**
   * Joins the others; `prepare` runs while nobody else does. Throws a DataDirectoryError while one of them has the
   * directory for itself.
   */
  async enter(prepare: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const door = await this.shut();
    try {
      this.areLocksKept = this.hasLocks && (await networkFileSystemOf(this.path)) === undefined;
      this.own ??= await this.acquire(PROCESS_NAME);
      await prepare();
    } finally {
      await door.release();
    }
  }

  async leave(): Promise<void> {
    const { own } = this;
    this.own = undefined;
    if (!own) return;
    await rm(join(this.folder, PROCESS_NAME), { force: true });
    await own.release();
  }

  /**
   * Keeps others from entering until it is released. Throws a DataDirectoryError while another process does so, and on
   * a file system without locks.
   */
  async keepOut(): Promise<Releasable> {
    const door = await this.shut();
    if (this.hasLocks || this.options.unsafeNoLock) return door;
    throw new DataDirectoryError(
      `The data directory ${this.path} cannot be locked against other instances, as this needs it.`,
    );
  }

  /** Throws a DataDirectoryError when another process has entered. */
  async requireAlone(): Promise<void> {
    for (const name of await this.others()) {
      if (await this.lives(name)) {
        throw new DataDirectoryError(`The data directory ${this.path} is in use by another instance.`);
      }
    }
  }

  /**
   * Takes a lock among those who have entered as soon as it is free; undefined when `isWanted` says no before that, and
   * for a process that has not entered.
   */
  async lock(name: string, isWanted: () => boolean): Promise<Releasable | undefined> {
    return this.own && this.takeTurn(name, isWanted);
  }

  /** Whether a temporary file is that of a process that lives. */
  async isInUse(file: string): Promise<boolean> {
    const owner = ownerOf(basename(file));
    if (owner === undefined || owner === PROCESS_NAME) return owner !== undefined;
    return this.areLocksKept ? this.lives(owner) : isRecent(file);
  }

  /** Removes the locks of those that have ended. Only inside `enter`. */
  async forgetEnded(): Promise<void> {
    for (const name of await this.others()) {
      const file = join(this.folder, name);
      if (!(this.areLocksKept ? await this.lives(name) : await isRecent(file))) await rm(file, { force: true });
    }
  }

  /** Removes everything of this, once nobody may enter any more. */
  async remove(): Promise<void> {
    await this.leave();
    for (const name of await readdir(this.folder).catch(() => [])) await rm(join(this.folder, name), { force: true });
    await rmdir(this.folder).catch(() => undefined);
  }

  private async others(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => name.startsWith('p_') && name !== PROCESS_NAME);
  }

  /** Whether a process holds the lock of this name. */
  private async lives(name: string): Promise<boolean> {
    const isThere = await stat(join(this.folder, name)).then(
      () => true,
      () => false,
    );
    if (!isThere) return false;
    const held = await this.tryLock(name);
    await held?.release();
    return held === undefined;
  }

  private async shut(): Promise<Releasable> {
    const door = await this.acquire(DOOR).catch((error: Error) => error);
    if (!(door instanceof Error)) return door;
    if (!(door instanceof DataDirectoryError)) throw door;
    throw new DataDirectoryError(
      `The data directory ${this.path} is in use by another instance, which restores a backup or imports data.`,
    );
  }

  private async acquire(name: string): Promise<Releasable> {
    const until = performance.now() + PATIENCE;
    const held = await this.takeTurn(name, () => performance.now() < until);
    if (held) return held;
    throw new DataDirectoryError(`The lock ${name} of the data directory ${this.path} is held by another process.`);
  }

  private async takeTurn(name: string, isWanted: () => boolean): Promise<Releasable | undefined> {
    while (isWanted()) {
      const held = await this.tryLock(name);
      if (held) return held;
      await sleep(PAUSE);
    }
    return undefined;
  }

  private async tryLock(name: string): Promise<Releasable | undefined> {
    const file = join(this.folder, name);
    try {
      await createPrivateFile(file);
      return await FileLock.tryAcquire(this.driver, file);
    } catch (error) {
      if (error instanceof MissingDriverError) throw error;
      if (this.hasLocks) {
        this.logger.warn(
          `The data directory ${this.path} cannot be locked: ${(error as Error).message}. What processes that have ended ` +
            'left in it is removed a day later.',
        );
      }
      this.hasLocks = false;
      this.areLocksKept = false;
      return NOTHING;
    }
  }
}

async function isRecent(file: string): Promise<boolean> {
  const changed = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return Date.now() - changed < DAY;
}
