import { rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { DataDirectory } from '../database/data-directory.js';
import { DatabaseCheck } from '../database/database-check.js';
import { BackupStorage } from '../storage/backup-storage.js';
import { inspectArchive } from './archive-reader.js';
import { ArchiveSource } from './archive-source.js';

/** Entries that are looked at. The databases are the first ones of an archive that was made here. */
const ENTRIES = 10_000;

/** A database up to this size is looked into, which takes a second or two. */
const LARGEST_DATABASE = 64 * 1024 * 1024;

/** Looks at a backup where it lies, for what would make restoring it pointless (OPS-104a). */
@Injectable()
export class BackupInspection {
  constructor(
    private readonly storage: BackupStorage,
    private readonly directory: DataDirectory,
    private readonly check: DatabaseCheck,
  ) {}

  /** Throws, with what is wrong: it is no archive, it has no database, or one that this version does not know. */
  async require(key: string): Promise<void> {
    const database = this.directory.newTempPath('inspect', '.db');
    try {
      const limits = { entries: ENTRIES, database, most: LARGEST_DATABASE };
      const { migration, databaseSize } = await inspectArchive(await this.source(key), limits);
      if (migration !== undefined) await this.check.requireKnown([migration]);
      if (databaseSize !== undefined && databaseSize <= LARGEST_DATABASE) await this.check.require(database);
    } finally {
      for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(database + suffix, { force: true });
    }
  }

  private async source(key: string): Promise<ArchiveSource> {
    const file = await this.storage.stat(key);
    if (!file) throw new Error('it is gone');
    return new ArchiveSource(file.size, async (start, end) => {
      const opened = await this.storage.open(key, { start, end: end - 1 });
      if (!opened) throw new Error('it is gone');
      const bytes = opened.content ?? (await buffer(opened.stream));
      if (bytes.length !== end - start) throw new Error('it changed while it was read');
      return bytes;
    });
  }
}
