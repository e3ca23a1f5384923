import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoostConfig } from '../../src/config/roost-config.js';
import { DataDirectory } from '../../src/database/data-directory.js';
import { Database } from '../../src/database/database.js';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import type { Upload } from '../../src/kernel/files/upload.js';
import { FileRemovals } from '../../src/storage/file-removals.js';
import type { FileStorage } from '../../src/storage/file-storage.js';
import { LocalFileStorage } from '../../src/storage/local-file-storage.js';
import { TransactionalFiles } from '../../src/storage/transactional-files.js';
import { LoneInstance } from '../../src/instances/lone-instance.js';
import { PendingFileJournal } from '../../src/storage/pending-file-journal.js';
import type { NamedFiles, RecordFileNames } from '../../src/storage/record-file-names.js';

/** A storage on disk that tests may slow down or break. */
export class WatchedStorage extends LocalFileStorage {
  readonly calls: string[] = [];
  /** Awaited before each call does anything; what it throws is the call's failure. */
  before: (call: string) => unknown = () => undefined;

  override async write(...args: Parameters<FileStorage['write']>): Promise<void> {
    await this.note(`write ${args[0]}`);
    return super.write(...args);
  }

  override async delete(key: string): Promise<void> {
    await this.note(`delete ${key}`);
    return super.delete(key);
  }

  override async deleteFolder(folder: string): Promise<void> {
    await this.note(`deleteFolder ${folder}`);
    return super.deleteFolder(folder);
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.list('')) keys.push(key);
    return keys.sort();
  }

  private async note(call: string): Promise<void> {
    this.calls.push(call);
    await this.before(call);
  }
}

/** A database, a storage and what ties them together, in a directory of their own. */
export class TestStorage {
  readonly storage: WatchedStorage;
  readonly database: Database;
  readonly journal: PendingFileJournal;
  /** What the stored records name, by `{collectionId}/{recordId}`. */
  readonly named = new Map<string, ReadonlySet<string>>();
  readonly removals: FileRemovals;
  /** The removals of another process on the same files. */
  readonly anotherProcess: () => FileRemovals;
  readonly staged: TransactionalFiles;

  private constructor(
    readonly dir: string,
    filesDeleteMaxWorkers: number,
  ) {
    const driver = sqliteDriver(process.env['DATABASE_DRIVER'] === 'sqlite3' ? 'sqlite3' : 'better-sqlite3');
    this.storage = new WatchedStorage(join(dir, 'storage'));
    this.database = new Database(new SqliteDialect({ file: join(dir, 'data.db'), driver, queryTimeout: 30 }));
    const config = { dir, filesDeleteMaxWorkers } as RoostConfig;
    const directory = new DataDirectory(dir);
    this.journal = new PendingFileJournal(directory, new LoneInstance());
    const names = {
      of: () =>
        Promise.resolve({
          ofRecord: (collection, record) => this.named.get(`${collection}/${record}`),
          hasCollection: (collection) => [...this.named.keys()].some((key) => key.startsWith(`${collection}/`)),
        } satisfies NamedFiles),
    } as unknown as RecordFileNames;
    this.anotherProcess = () =>
      new FileRemovals(this.database, this.storage, names, this.journal, new LoneInstance(), config, directory);
    this.removals = this.anotherProcess();
    this.staged = new TransactionalFiles(this.database, this.storage, this.removals, this.journal);
  }

  static async open(filesDeleteMaxWorkers = 50): Promise<TestStorage> {
    const test = new TestStorage(await mkdtemp(join(tmpdir(), 'roost-staged-')), filesDeleteMaxWorkers);
    await test.database.run({
      sql: 'CREATE TABLE IF NOT EXISTS "_file_removals" ("id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "name" TEXT NOT NULL)',
      params: [],
    });
    return test;
  }

  /** A file that arrived with a request. */
  async upload(content: string): Promise<Upload> {
    const temp = join(this.dir, '.temp');
    await mkdir(temp, { recursive: true });
    const path = join(temp, `upload-${Math.random()}`);
    await writeFile(path, content);
    const md5 = createHash('md5').update(content).digest('base64');
    return {
      path,
      md5,
      size: content.length,
      truncated: false,
      name: 'n',
      originalName: `${content}.txt`,
      mimeType: 'text/plain',
    };
  }

  /** Puts files into the storage, as if they had always been there. */
  async put(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const { path, size } = await this.upload(key);
      await this.storage.write(key, { path, size, contentType: 'text/plain' });
    }
  }

  /** What is still to be deleted. */
  async owed(): Promise<string[]> {
    const rows = await this.database.all<{ name: string }>({
      sql: 'SELECT "name" FROM "_file_removals" ORDER BY "id"',
      params: [],
    });
    return rows.map(({ name }) => name);
  }

  async close(): Promise<void> {
    await this.removals.idle();
    await this.database.lifecycle.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
