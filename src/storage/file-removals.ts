import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { DataDirectory } from '../database/data-directory.js';
import { Database } from '../database/database.js';
import { INSTANCE_GONE, INSTANCE_LINK, type InstanceLink, type Release } from '../instances/instance-link.js';
import { chunksOf } from '../kernel/chunks-of.js';
import { thrownText } from '../kernel/errors/message-of.js';
import { column, columnsOf, compare, oneOf, param, table } from '../kernel/sql/sql.js';
import { fileOfThumb, parseKey, thumbsFolder } from './file-keys.js';
import { FILE_STORAGE, type FileStorage, type ListedFile } from './file-storage.js';
import { forEachOf } from './for-each-of.js';
import { PendingFileJournal } from './pending-file-journal.js';
import { type NamedFiles, RecordFileNames } from './record-file-names.js';

const TABLE = '_file_removals';
const ID = column(TABLE, 'id', 'number');

/** Removals that are read, carried out and deleted from the table together. */
const CHUNK = 500;

/** The name of the lock of those who delete files, and of those who need them to stay. */
const LOCK = 'file removals';

/** A file or, with a `/` at its end, a folder that is to be deleted. */
interface Removal {
  readonly id: number;
  readonly name: string;
}

/**
 * Deletes files in the background, a limited number at once (FS-36). Removals are rows of a table, written in the
 * transaction that makes the files useless, so that the next process continues whatever happens to this one (SCALE-24).
 * A failure is only logged (FS-35); the next start tries again.
 *
 * A record with the same id may have been created meanwhile, so files that a record names, or that are being stored for
 * one, are kept.
 */
@Injectable()
export class FileRemovals implements OnApplicationShutdown {
  private readonly logger = new Logger('Storage');
  private readonly maxWorkers: number;
  /** Keys of files that are being stored for a record and must not be deleted. */
  private readonly expected = new Set<string>();
  /** Running deletions by name. */
  private readonly running = new Map<string, Promise<void>>();
  /** The number of the last removal that was carried out or has failed; undefined before this process has any. */
  private last: number | undefined;
  private isDue = false;
  private isWorking = false;
  private isOver = false;
  private suspensions = 0;
  private restListeners: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    private readonly names: RecordFileNames,
    private readonly journal: PendingFileJournal,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    @Inject(ROOST_CONFIG) config: RoostConfig,
    private readonly directory: DataDirectory,
  ) {
    this.maxWorkers = config.filesDeleteMaxWorkers;
  }

  /**
   * Starts with the removals that earlier processes have left, and with the files that a killed one had stored for a
   * transaction that may not have committed (FS-96). Only for the holder of the lock, when collections are loaded.
   */
  async begin(): Promise<void> {
    await this.add(await this.journal.open());
    this.journal.compact();
    await this.journal.forgetEarlier();
    if (this.link.isAlone) {
      // Commits of other processes, such as commands or a restore, may contain removals.
      this.database.changes.onExternalChange(() => this.beginAnew());
    } else {
      // Each instance carries out its own removals; those of one that has ended are taken over.
      this.link.onBroadcast(INSTANCE_GONE, (id) => void this.inherit(String(id)));
    }
    this.beginAnew();
  }

  /**
   * Has files with their thumbnails, and folders, whose names end in `/`, deleted after the commit of the transaction
   * around the caller; without one at once.
   */
  async add(names: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(names, CHUNK)) {
      const { rows } = await this.database.run<{ id: number }>({
        kind: 'insert',
        into: TABLE,
        columns: ['name'],
        rows: chunk.map((name) => [param(name)]),
        returning: [{ value: ID, as: 'id' }],
      });
      this.last ??= Math.min(...rows.map(({ id }) => id)) - 1;
    }
    if (names.length > 0) this.database.afterCommit(this.wake);
  }

  /** Deletes a file and its thumbnails now. */
  async deleteFile(key: string): Promise<void> {
    await this.storage.delete(key);
    await this.storage.deleteFolder(thumbsFolder(key));
  }

  /**
   * Protects a file that is about to be written from deletion, until `unprotect`. Resolves when no running deletion can
   * affect it.
   */
  async protect(key: string): Promise<void> {
    this.expected.add(key);
    for (const folder of foldersOf(key)) await this.running.get(folder);
  }

  /** Ends the protection, when the record names the file or the file was removed again. */
  unprotect(key: string): void {
    this.expected.delete(key);
  }

  /** Suspends deletions until the returned function is called, while a backup reads the files (FS-38). */
  async suspend(): Promise<() => void> {
    this.suspensions++;
    const letOthersIn = await this.lockOthersOut();
    let isHeld = true;
    return () => {
      if (isHeld) this.suspensions--;
      isHeld = false;
      letOthersIn();
      this.work();
    };
  }

  /** As `suspend`; resolves when running deletions are done. */
  async pause(): Promise<() => void> {
    const release = await this.suspend();
    if (this.isWorking) await new Promise<void>((resolve) => this.restListeners.push(resolve));
    return release;
  }

  /** Resolves when no removals are left, or they are left for the next start. */
  async idle(): Promise<void> {
    while (this.isWorking || (this.isDue && !this.isOver))
      await new Promise<void>((resolve) => this.restListeners.push(resolve));
  }

  /**
   * Leaves the remaining removals for the next start, because the process was told to end and they may take minutes.
   */
  stop(): void {
    this.isOver = true;
  }

  /** Carries out the rest before the process ends: after a command, the next start may be far away. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.isOver) this.suspensions = 0;
    this.work();
    await this.idle();
    // Later removals are left for the next start, because the databases are about to close.
    this.isOver = true;
  }

  private readonly wake = (): void => {
    this.isDue = true;
    this.work();
  };

  private beginAnew(): void {
    this.last = 0;
    this.wake();
  }

  private async inherit(id: string): Promise<void> {
    try {
      await this.journal.adopt(id, (names) => this.add(names));
      this.beginAnew();
    } catch (error) {
      this.logger.warn(`What a process has left could not be looked through: ${thrownText(error)}`);
    }
  }

  /** No other process deletes or stores files. */
  private get isSolitary(): boolean {
    return this.link.isAlone && !this.directory.users;
  }

  /** Locks deletions against other processes: those that serve with this one, and others in its directory. */
  private async lockOthersOut(): Promise<Release> {
    const letInstancesIn = this.link.isAlone ? () => undefined : await this.link.lock(LOCK);
    try {
      const held = await this.directory.users?.lock(LOCK, () => !this.isOver);
      return () => {
        void held?.release();
        letInstancesIn();
      };
    } catch (error) {
      letInstancesIn();
      throw error;
    }
  }

  private get mayWork(): boolean {
    return this.suspensions === 0 && !this.isOver;
  }

  private work(): void {
    if (!this.isDue || this.isWorking || !this.mayWork) return;
    this.isWorking = true;
    void this.database.runOutside(() => this.workOff());
  }

  private async workOff(): Promise<void> {
    try {
      while (this.isDue && this.mayWork) {
        this.isDue = false;
        const letOthersIn = await this.lockOthersOut();
        try {
          while (await this.workOffChunk());
        } finally {
          letOthersIn();
        }
      }
    } catch (error) {
      // The rows stay in the table for the next attempt.
      this.logger.warn(`Files could not be deleted: ${thrownText(error)}`);
    }
    this.isWorking = false;
    for (const listener of this.restListeners.splice(0)) listener();
  }

  /** Gives false when no removals were left, or deletions were suspended. */
  private async workOffChunk(): Promise<boolean> {
    const from = this.last ?? 0;
    const removals = await this.database.all<Removal>({
      kind: 'select',
      columns: columnsOf(TABLE, { id: 'number', name: 'text' }),
      from: table(TABLE),
      where: compare(ID, '>', param(from)),
      order: [{ value: ID, descending: false }],
      limit: CHUNK,
    });
    if (removals.length === 0) return false;
    const attempted = await this.carryOut(removals);
    if (this.last === from && attempted === removals.length) this.last = removals.at(-1)!.id;
    if (attempted === removals.length) return true;
    this.isDue = true;
    return false;
  }

  /** Gives how many were attempted before deletions were suspended. */
  private async carryOut(removals: readonly Removal[]): Promise<number> {
    let attempted = 0;
    const done: number[] = [];
    const ends = removals.map(({ name }) => this.beginRemoval(name));
    try {
      // In this order: a file that is committed in between was protected before, or is named by its record after.
      const expected = await this.allExpected();
      const named = await this.names.of(removals.map(({ name }) => name));
      await forEachOf(removals.keys(), this.maxWorkers, async (index) => {
        if (this.mayWork) {
          attempted++;
          const { id, name } = removals[index]!;
          if (await this.attempt(name, named, expected)) done.push(id);
        }
        ends[index]!();
      });
    } finally {
      for (const end of ends) end();
    }
    if (done.length > 0) {
      const where = oneOf(
        ID,
        done.map((id) => param(id)),
      );
      await this.database.run({ kind: 'delete', from: TABLE, where });
    }
    return attempted;
  }

  /** What is being stored for a record, here or in another process. */
  private async allExpected(): Promise<ReadonlySet<string>> {
    const others = await this.journal.ofOthers();
    return new Set([...this.expected, ...others]);
  }

  /** Marks a deletion as running until the returned function is called; `protect` waits for it. */
  private beginRemoval(name: string): () => void {
    let end: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (end = resolve));
    this.running.set(name, running);
    return () => {
      if (this.running.get(name) === running) this.running.delete(name);
      end();
    };
  }

  private async attempt(name: string, named: NamedFiles, expected: ReadonlySet<string>): Promise<boolean> {
    try {
      if (name.endsWith('/')) await this.deleteFolder(name, named, expected);
      else if (!isKept(name, named, expected)) await this.deleteFile(name);
      return true;
    } catch (error) {
      this.logger.warn(`${name} could not be deleted: ${thrownText(error)}`);
      return false;
    }
  }

  private async deleteFolder(folder: string, named: NamedFiles, expected: ReadonlySet<string>): Promise<void> {
    const { collectionId, recordId } = parseKey(folder);
    const isNamed = recordId === '' ? named.hasCollection(collectionId) : named.ofRecord(collectionId, recordId);
    // Other processes do not wait for running deletions, so the folder is not deleted as a whole.
    const isInUse = isNamed || !this.isSolitary || [...expected].some((key) => key.startsWith(folder));
    if (!isInUse) return this.storage.deleteFolder(folder);
    for await (const files of inChunks(this.storage.list(folder))) {
      const keys = files.map(({ key }) => key);
      const expectedNow = this.isSolitary ? expected : await this.allExpected();
      const namedNow = await this.names.of(keys);
      for (const key of keys) if (!isKept(key, namedNow, expectedNow)) await this.storage.delete(key);
    }
  }
}

/** Whether a record names this file, or the one it is a thumbnail of, or one of them is being stored. */
function isKept(key: string, named: NamedFiles, expected: ReadonlySet<string>): boolean {
  const file = fileOfThumb(key) ?? key;
  const { collectionId, recordId, fileName } = parseKey(file);
  return expected.has(file) || (named.ofRecord(collectionId, recordId)?.has(fileName) ?? false);
}

/** The folders a file is in, the inner ones last. */
function foldersOf(key: string): string[] {
  const parts = key.split('/');
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}

async function* inChunks(files: AsyncIterable<ListedFile>): AsyncGenerator<readonly ListedFile[]> {
  let chunk: ListedFile[] = [];
  for await (const file of files) {
    chunk.push(file);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
