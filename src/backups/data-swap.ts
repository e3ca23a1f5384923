import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataDirectoryError } from '../database/data-directory.error.js';
import { DATABASE_FILES, DataDirectory, flushDirectory } from '../database/data-directory.js';
import { removeTree } from '../database/remove-tree.js';

const JOURNAL = 'restore.json';

/** The entries of the storage that a backup replaces. */
const FILES = /^(?!\.|lost\+found$)/;

/** A directory some entries of which are swapped. `aside` is on the same file system, so that moving is renaming. */
interface Place {
  readonly path: string;
  readonly aside: string;
  readonly own: RegExp;
}

/** A swap that has begun: the names of the old content, by place. */
type Journal = Readonly<Record<keyof SwapRoom, readonly string[]>> & BegunSwap;

/** A swap that was begun and not committed. */
export interface BegunSwap {
  readonly backup?: string;
  /** A token by which a database on a server shows whether its part is committed. */
  readonly token?: string;
}

/** Where new content is gathered. */
export interface SwapRoom {
  readonly databases: string;
  readonly files: string;
}

/**
 * Replaces databases and files so that it can be undone at any moment, also by the next process: a journal is written
 * before the first file is moved. Only while the databases are closed.
 *
 * Where the databases are on a server, only the files are swapped.
 *
 * The storage directory stays and its entries are moved, because it may be a link or a mount.
 */
@Injectable()
export class DataSwap {
  private readonly places: Readonly<Record<keyof SwapRoom, Place>>;

  constructor(private readonly directory: DataDirectory) {
    const { path, temp, storage } = directory;
    this.places = {
      databases: { path, aside: join(temp, 'restore'), own: DATABASE_FILES },
      files: { path: storage, aside: join(storage, '.restore'), own: FILES },
    };
  }

  /** Makes directories for the new content, which stay until `clear`. */
  async prepare(): Promise<SwapRoom> {
    if (await this.readJournal()) throw new Error('A restore before this one could not be taken back. Start anew.');
    await this.clear();
    for (const place of this.all) {
      for (const path of [contentOf(place), oldOf(place)]) await mkdir(path, { recursive: true, mode: 0o700 });
    }
    return { databases: contentOf(this.places.databases), files: contentOf(this.places.files) };
  }

  /** Moves the present content aside and the new in. After `rollback` everything is as before. */
  async swapIn(backup?: string, token?: string): Promise<void> {
    const { databases, files } = this.places;
    const isHere = this.directory.holdsData;
    const journal: Journal = {
      databases: isHere ? await present(databases) : [],
      files: await present(files),
      backup,
      token,
    };
    await this.writeJournal(journal);
    if (isHere) await exchange(databases, journal.databases);
    await exchange(files, journal.files);
  }

  /** The swap that was begun and not committed. */
  async begun(): Promise<BegunSwap | undefined> {
    return this.readJournal();
  }

  /** Restores the old content when a swap was begun and not committed; true when there was one. */
  async rollback(): Promise<boolean> {
    const journal = await this.readJournal();
    if (!journal) return false;
    const { databases, files } = this.places;
    // Checked before anything is moved: a storage that is not mounted at the moment has none of the old content.
    for (const place of this.all) await kept(place);
    if (this.directory.holdsData) await bringBack(databases, journal.databases);
    await bringBack(files, journal.files);
    await this.commit();
    return true;
  }

  /** Makes the new content final. */
  async commit(): Promise<void> {
    await rm(join(this.directory.temp, JOURNAL), { force: true });
    await flushDirectory(this.directory.temp);
  }

  /** Removes what is aside, unless it is still needed to take a swap back. */
  async clear(): Promise<void> {
    if (await this.readJournal()) return;
    // A path that is no directory has no content to remove.
    for (const { aside } of this.all) await removeTree(aside).catch(unlessNoDirectory);
  }

  private get all(): readonly Place[] {
    return [this.places.databases, this.places.files];
  }

  private async writeJournal(journal: Journal): Promise<void> {
    const path = join(this.directory.temp, JOURNAL);
    await writeFile(`${path}.new`, JSON.stringify(journal), { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
    await flushDirectory(this.directory.temp);
  }

  private async readJournal(): Promise<Journal | undefined> {
    const path = join(this.directory.temp, JOURNAL);
    // When `.temp` is no directory, there is no journal; the start creates it later.
    const text = await readFile(path, 'utf8').catch(unlessNoDirectory);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Journal;
    } catch (error) {
      throw new DataDirectoryError(`A restore was interrupted, and ${path}, which tells how far it was, is damaged.`, {
        cause: error,
      });
    }
  }
}

function contentOf({ aside }: Place): string {
  return join(aside, 'content');
}

function oldOf({ aside }: Place): string {
  return join(aside, 'old');
}

async function present({ path, own }: Place): Promise<string[]> {
  return (await readdir(path)).filter((name) => own.test(name));
}

async function kept(place: Place): Promise<string[]> {
  return readdir(oldOf(place)).catch((error: unknown) => {
    throw new DataDirectoryError(
      `A restore was interrupted, and what was in ${place.path} before cannot be found: ${(error as Error).message}. ` +
        'Is everything mounted?',
      { cause: error },
    );
  });
}

async function exchange(place: Place, names: readonly string[]): Promise<void> {
  for (const name of names) await rename(join(place.path, name), join(oldOf(place), name));
  for (const name of await readdir(contentOf(place))) {
    if (place.own.test(name)) await rename(join(contentOf(place), name), join(place.path, name));
  }
  await flushDirectory(place.path);
}

async function bringBack(place: Place, names: readonly string[]): Promise<void> {
  const old = new Set(await kept(place));
  for (const name of await present(place)) {
    // Old content that was not moved aside is still in its place.
    if (old.has(name) || !names.includes(name)) await removeTree(join(place.path, name));
  }
  for (const name of old) await rename(join(oldOf(place), name), join(place.path, name));
  await flushDirectory(place.path);
}

function unlessNoDirectory(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) throw error;
}
