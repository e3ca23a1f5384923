import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { StartError } from '../config/start.error.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { createPrivateFile, DataDirectory, flushDirectory } from '../database/data-directory.js';
import type { Releasable } from '../database/directory-users.js';
import { UNFINISHED_TABLE } from '../database/own-tables.js';
import { SchemaSync } from '../database/schema-sync.js';
import { DataDirLock } from '../database/sqlite/data-dir-lock.js';
import { SettingsService } from '../settings/settings.service.js';
import { vacuumFilled } from '../transfer/vacuum-filled.js';
import type { Progress } from './import-report.js';
import { removeTree } from '../database/remove-tree.js';

/**
 * The data directory that is filled: empty before, and empty again when the import fails. It is filled in place,
 * because a directory beside it may be on another disk: data directories are often volumes of a container.
 */
@Injectable()
export class ImportTarget {
  private door: Releasable | undefined;

  constructor(
    private readonly directory: DataDirectory,
    private readonly lock: DataDirLock,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly settings: SettingsService,
    private readonly collections: CollectionStore,
    private readonly schema: SchemaSync,
  ) {}

  /** Where an import keeps what it works with; on the same disk as the rest, so that moving is renaming. */
  get workshop(): string {
    return join(this.directory.temp, 'pocketbase');
  }

  get storage(): string {
    return this.directory.storage;
  }

  /** Throws a StartError when the directory contains anything but an unfinished import. Changes nothing. */
  async requireFree(): Promise<void> {
    if ((await this.content()).length === 0 || (await this.directory.isUnfinished())) return;
    throw new StartError(
      `The data directory ${this.directory.path} is not empty: nothing was imported. Name a new one with --dir.`,
    );
  }

  /**
   * Makes a fresh instance in the directory and runs the work in it; takes everything away when the work fails. The
   * instance is closed afterwards. Whenever the process ends before that, the directory stays marked: nothing but the
   * next import uses it then, and that begins anew.
   */
  async fill<T>(work: () => Promise<T>, progress: Progress): Promise<T> {
    await this.takeDirectory();
    // Something may have been written between the first check and the lock.
    await this.requireFree();
    if (await this.directory.isUnfinished()) progress('Begins anew: an import into the directory was interrupted.');
    await createPrivateFile(this.directory.importMark);
    try {
      await this.empty();
      await this.open();
      const result = await work();
      await this.finish(progress);
      return result;
    } catch (error) {
      await this.giveUp();
      throw error;
    }
  }

  private async open(): Promise<void> {
    await this.directory.emptyTemp();
    // A database on a server is outside of the marked directory and has a mark of its own.
    const fills = !this.directory.holdsData;
    await this.database.lifecycle.open({ fills });
    await this.auxiliary.lifecycle.open({ fills });
    await this.settings.load();
    await this.collections.load();
  }

  /** Takes the mark away once everything is on the disk: what was committed is so only when a database is closed. */
  private async finish(progress: Progress): Promise<void> {
    await this.directory.emptyTemp();
    if (!this.directory.holdsData) {
      progress('Has PostgreSQL vacuum the tables, so that lists are quick from the start.');
      await vacuumFilled(this.database, this.collections.catalog.tables());
      await this.schema.apply([{ kind: 'dropTable', table: UNFINISHED_TABLE }]);
    }
    await this.close();
    await flushDirectory(this.directory.path);
    await rm(this.directory.importMark);
    await flushDirectory(this.directory.path);
    await this.door?.release();
  }

  private async giveUp(): Promise<void> {
    await this.auxiliary.lifecycle.close();
    // When the database is away, its mark stays.
    await this.database.lifecycle.discard().catch(() => undefined);
    await this.empty();
    await rm(this.directory.importMark, { force: true });
    await rm(this.directory.lock, { force: true });
    await this.lock.release();
    await this.directory.users?.remove();
    await this.door?.release();
  }

  /** Nobody else works in it until the import is over. */
  private async takeDirectory(): Promise<void> {
    const { users } = this.directory;
    if (!users) return this.lock.acquire();
    await this.directory.prepare();
    await users.enter();
    this.door = await users.keepOut();
    await users.requireAlone();
  }

  private async close(): Promise<void> {
    await this.auxiliary.lifecycle.close();
    await this.database.lifecycle.close();
  }

  /** Empties the directory. The mark stays, so that this may be interrupted too, and the lock is kept. */
  private async empty(): Promise<void> {
    for (const name of await this.content()) {
      await removeTree(join(this.directory.path, name));
    }
  }

  /** What is in the directory besides the mark and locks; a lock alone protects nothing. */
  private async content(): Promise<string[]> {
    const { path, importMark, lock, users } = this.directory;
    const found = await readdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new StartError(`The data directory ${path} cannot be read: ${error.message}`);
    });
    return found.filter((name) => ![importMark, lock, users?.folder].includes(join(path, name)));
  }
}
