import { lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { packageVersion } from '../config/package-info.js';
import { CLOCK } from '../config/roost-config.js';
import { CollectionStore } from '../collections/collection-store.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { createPrivateFile, DataDirectory } from '../database/data-directory.js';
import { DatabaseCheck } from '../database/database-check.js';
import { DatabaseError } from '../database/database.error.js';
import type { Clock } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import { unlessMissing } from '../kernel/files/missing-file.js';
import { FileRemovals } from '../storage/file-removals.js';
import { StorageService } from '../storage/storage.service.js';
import { WholeCopy } from '../transfer/whole-copy.js';
import { METADATA_ENTRY } from './archive.js';
import { type ArchiveProgress, ArchiveWriter } from './archive-writer.js';
import { MOST_FILES } from './entry-check.js';

/** Files with the databases as they were at one commit each. */
interface Copies {
  readonly data: string;
  readonly auxiliary: string | undefined;
}

/** A finished archive in `.temp`. Whoever made it removes its folder. */
export interface MadeBackup {
  readonly path: string;
  readonly size: number;
}

/**
 * Makes the zip of a backup while the application goes on (OPS-100, OPS-102). The databases are copied as they were at
 * one commit each; files that the copy names stay where they are until they are in the zip.
 */
@Injectable()
export class BackupMaker {
  private readonly logger = new Logger('Backups');

  constructor(
    private readonly directory: DataDirectory,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly check: DatabaseCheck,
    private readonly collections: CollectionStore,
    private readonly storage: StorageService,
    private readonly removals: FileRemovals,
    private readonly copy: WholeCopy,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Hands the finished zip to `take`; afterwards nothing of it is left in `.temp`. */
  async make<T>(take: (made: MadeBackup) => Promise<T>, onProgress?: (progress: ArchiveProgress) => void): Promise<T> {
    const folder = this.directory.newTempPath('backup');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const path = join(folder, 'backup.zip');
      await this.write(folder, path, onProgress);
      return await take({ path, size: (await stat(path)).size });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async write(folder: string, path: string, onProgress?: (progress: ArchiveProgress) => void): Promise<void> {
    const created = formatDateTime(this.clock.now());
    const release = await this.removals.suspend();
    try {
      const archive = await ArchiveWriter.create(path, onProgress);
      try {
        await this.addAll(archive, folder, created);
        await archive.end();
      } catch (error) {
        await archive.abort();
        throw error;
      }
    } finally {
      release();
    }
  }

  private async addAll(archive: ArchiveWriter, folder: string, created: string): Promise<void> {
    const { data, auxiliary } = this.directory.holdsData ? await this.copyFiles(folder) : await this.dump(folder);
    if (!this.storage.isS3) await this.requireStorage(data);
    const migration = await this.check.lastMigration(data);
    const databases = {
      'data.db': await archive.addHashed(data, 'data.db'),
      ...(auxiliary !== undefined && { 'auxiliary.db': await archive.addHashed(auxiliary, 'auxiliary.db') }),
    };
    const metadata = { version: packageVersion(), migration, created, sha256: databases };
    await archive.addText(`${JSON.stringify(metadata, null, 2)}\n`, METADATA_ENTRY);
    const files = this.storage.isS3 ? 0 : await archive.addDirectory(this.directory.storage, 'storage');
    if (files > MOST_FILES) {
      this.logger.warn(`The backup has ${files} files; no more than ${MOST_FILES} can be restored here.`);
    }
  }

  private async copyFiles(folder: string): Promise<Copies> {
    const data = await this.snapshot(this.database, join(folder, 'data.db'));
    return { data, auxiliary: await this.snapshotOfLogs(join(folder, 'auxiliary.db')) };
  }

  /** Of a database that is elsewhere: into files as an application without one has them (SCALE-15). */
  private async dump(folder: string): Promise<Copies> {
    const dir = join(folder, 'dump');
    const { brokenViews, leftOut } = await this.copy.to({ dir }, { logs: true, offThread: true, mayBreakViews: true });
    if (brokenViews.length > 0) {
      this.logger.warn(`Only PostgreSQL can make these views of the backup again: ${brokenViews.join(', ')}.`);
    }
    for (const name of leftOut) this.logger.warn(`The backup is without the table ${name}, which is no collection's.`);
    return { data: join(dir, 'data.db'), auxiliary: join(dir, 'auxiliary.db') };
  }

  /** Undefined when the logs are damaged: a backup without logs is better than none. */
  private async snapshotOfLogs(file: string): Promise<string | undefined> {
    try {
      return await this.snapshot(this.auxiliary, file);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'corrupt') throw error;
      this.logger.warn(`The backup is made without the logs, which are damaged: ${error.message}`);
      return undefined;
    }
  }

  /**
   * Throws when records name files and there are none: a storage that is not mounted must not be taken for an empty
   * one.
   */
  private async requireStorage(data: string): Promise<void> {
    const { storage } = this.directory;
    const names = (await readdir(storage).catch(unlessMissing)) ?? [];
    if (names.some((name) => !name.startsWith('.') && name !== 'lost+found')) return;
    const isLink = await lstat(storage).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    const leadsNowhere = isLink && (await stat(storage).catch(() => undefined)) === undefined;
    if (leadsNowhere) throw new Error(`The storage ${storage} is a link to a place that is not there.`);
    const collection = await this.check.tableWithValues(data, this.columnsOfFiles());
    if (collection === undefined) return;
    throw new Error(`Records of ${collection} have files, but the storage ${storage} is empty. Is everything mounted?`);
  }

  private columnsOfFiles(): { table: string; column: string }[] {
    const collections = this.collections.catalog.all().filter(({ isView }) => !isView);
    return collections.flatMap((collection) =>
      collection.fields
        .filter((field) => collection.typeOf(field).holdsFiles)
        .map((field) => ({ table: collection.name, column: field.name })),
    );
  }

  private async snapshot(database: Database, file: string): Promise<string> {
    await createPrivateFile(file);
    await database.upkeep.snapshot(file);
    return file;
  }
}
