import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newTempName, PROCESS_NAME } from '../config/temp-files.js';
import { messageOf } from '../kernel/errors/message-of.js';
import { unlessMissing } from '../kernel/files/missing-file.js';
import { DataDirectoryError } from './data-directory.error.js';
import type { DirectoryUsers } from './directory-users.js';
import { makeDirectory } from './make-directory.js';
import { removeTree } from './remove-tree.js';

/** The files of the two databases in a data directory, with their journals. */
export const DATABASE_FILES = /^(?:data|auxiliary)\.db(?:-wal|-shm|-journal)?$/;

const PENDING_FILES = 'pending-files';

/** What a data directory is. */
interface DirectoryContent {
  /** Whether the records are in it. */
  readonly holdsData: boolean;
  /** The processes that may work in it side by side; without them it belongs to the holder of its lock. */
  readonly users?: DirectoryUsers;
}

/** The layout of the data directory (OPS-170). Everything in it belongs to the owner of the process alone. */
export class DataDirectory {
  readonly data: string;
  readonly auxiliary: string;
  readonly lock: string;
  readonly storage: string;
  readonly backups: string;
  /** Uploads, backups and transactions in progress; whatever is in it may be gone after a restart. */
  readonly temp: string;
  /** Exists while an import fills the directory; the import ends by removing it. */
  readonly importMark: string;

  constructor(
    readonly path: string,
    private readonly content: DirectoryContent = { holdsData: true },
  ) {
    this.data = join(path, 'data.db');
    this.auxiliary = join(path, 'auxiliary.db');
    this.lock = join(path, 'roost.lock');
    this.storage = join(path, 'storage');
    this.backups = join(path, 'backups');
    this.temp = join(path, '.temp');
    this.importMark = join(path, '.importing');
  }

  /** False where the records are in a database elsewhere. */
  get holdsData(): boolean {
    return this.content.holdsData;
  }

  /** The processes that may work in it side by side; undefined where it belongs to the holder of its lock. */
  get users(): DirectoryUsers | undefined {
    return this.content.users;
  }

  /**
   * The journal of files that no record may name yet, which is kept across restarts: that of this process, or of the
   * worker with this id.
   */
  pendingFilesOf(worker: string): string {
    if (this.users) return join(this.temp, `${PROCESS_NAME}.${PENDING_FILES}`);
    return join(this.temp, worker === '' ? PENDING_FILES : `${PENDING_FILES}.${worker}`);
  }

  /** A path for a new temporary file or folder; its name tells whose it is where processes work side by side. */
  newTempPath(kind: string, ending = ''): string {
    return join(this.temp, newTempName(this.users !== undefined, kind) + ending);
  }

  /** Whether a file of `.temp` is such a journal, and not one that was being rewritten. */
  isPendingFiles(name: string): boolean {
    if (name.endsWith('.new')) return false;
    return name.startsWith(PENDING_FILES) || (this.users !== undefined && name.includes(`.${PENDING_FILES}`));
  }

  /** Makes the directory if it is missing. Throws a DataDirectoryError when it cannot be made or written (OPS-171). */
  async prepare(): Promise<void> {
    try {
      await makeDirectory(this.path, 0o700);
      await access(this.path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new DataDirectoryError(`The data directory ${this.path} cannot be written: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** Whether it exists and can be written. */
  isWritable(): Promise<boolean> {
    return access(this.path, constants.R_OK | constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
  }

  /** Whether an import is filling the directory, or was when its process ended. */
  async isUnfinished(): Promise<boolean> {
    return access(this.importMark).then(
      () => true,
      () => false,
    );
  }

  /** Throws a DataDirectoryError as long as the directory holds a part of an import only. */
  async requireFinished(): Promise<void> {
    if (!(await this.isUnfinished())) return;
    throw new DataDirectoryError(
      `The data directory ${this.path} holds a part of an import only: it is still running, or it was interrupted. ` +
        'In that case run import-pocketbase again, which begins anew.',
    );
  }

  /**
   * Throws a DataDirectoryError when `data.db` is missing or empty although other files of an installation exist: a
   * volume is not mounted, or a full or failing disk emptied the file. Otherwise it would be taken for a new
   * installation, and SQLite would delete the journal beside it.
   */
  async requireData(): Promise<void> {
    if (!this.holdsData) return;
    const size = await sizeOf(this.data);
    if (size !== undefined && size > 0) return;
    const files = await Promise.all([this.auxiliary, `${this.data}-wal`].map(sizeOf));
    const folders = await Promise.all([this.storage, this.backups].map((path) => readdir(path).catch(() => [])));
    if (files.every((size) => !size) && folders.every((names) => names.length === 0)) return;
    throw new DataDirectoryError(
      size === 0
        ? `The database ${this.data} is empty, although the data directory was in use: its content is lost. ` +
            'Restore a backup, or use another directory to begin anew.'
        : `The database ${this.data} is missing, although the data directory was in use. Is a volume not mounted? ` +
            'Otherwise restore a backup, or use another directory to begin anew.',
    );
  }

  /**
   * Throws a DataDirectoryError when there is no `data.db`, nor what an interrupted restore may have left, by which it
   * comes back. Makes nothing.
   */
  async requireUsed(): Promise<void> {
    if ((await sizeOf(this.temp)) === undefined) await this.requireDataFile();
  }

  /** Throws a DataDirectoryError when there is no `data.db`. */
  async requireDataFile(): Promise<void> {
    if (!this.holdsData || (await sizeOf(this.data))) return;
    throw new DataDirectoryError(`There is no database in the data directory ${this.path}. Is --dir right?`);
  }

  /**
   * Renames a damaged database file and its journal, replacing those renamed before. Gives the new name of the file.
   */
  async setAside(file: string): Promise<string> {
    const aside = `${file}.damaged`;
    // A journal with the old name would be applied to the next file of that name.
    for (const suffix of ['-wal', '-shm', '']) {
      await rm(aside + suffix, { force: true });
      await rename(file + suffix, aside + suffix).catch(unlessMissing);
    }
    return aside;
  }

  /**
   * Removes from `.temp/` what no living process has in it, but for the journals of pending files. Only for the holder
   * of the lock, or inside `enter` of the users.
   */
  async emptyTemp(): Promise<void> {
    const isDirectory = await lstat(this.temp).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    // A symbolic link is removed itself, so that no other directory is emptied.
    if (!isDirectory) await rm(this.temp, { force: true });
    await mkdir(this.temp, { recursive: true, mode: 0o700 });
    await chmod(this.temp, 0o700);
    for (const name of await readdir(this.temp)) {
      const path = join(this.temp, name);
      if (!this.isPendingFiles(name) && !(await this.users?.isInUse(path))) await removeTree(path);
    }
    await this.users?.forgetEnded();
  }
}

/**
 * Makes an empty file that only its owner can read, unless there is one. A file that exists is not even opened:
 * closing it again would drop the locks this process holds on it (OPS-173).
 */
export async function createPrivateFile(file: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return requireWritable(file);
    throw new DataDirectoryError(`The file ${file} cannot be made: ${messageOf(error)}`, { cause: error });
  }
}

/** Throws for a file that cannot be written: SQLite would silently open it read-only, without locks. */
async function requireWritable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new DataDirectoryError(`The file ${file} cannot be read and written: ${messageOf(error)}`, { cause: error });
  }
}

/** Flushes the entries of a directory to disk: files that were created, removed or renamed. */
export async function flushDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The size of a file; undefined when there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
