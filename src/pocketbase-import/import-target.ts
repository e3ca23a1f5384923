import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { StartError } from '../config/start.error.js';
import { AuxiliaryDatabase } from '../database/auxiliary-database.js';
import { DataDirectory } from '../database/data-directory.js';
import { Database } from '../database/database.js';
import { DataDirLock } from '../database/sqlite/data-dir-lock.js';
import { SettingsService } from '../settings/settings.service.js';

/** The data directory that is to be filled: empty before, and empty again when the import fails. */
@Injectable()
export class ImportTarget {
  constructor(
    private readonly directory: DataDirectory,
    private readonly lock: DataDirLock,
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly settings: SettingsService,
    private readonly collections: CollectionStore,
  ) {}

  /** Where an import keeps what it works with; on the same disk as the rest, so that moving is renaming. */
  get workshop(): string {
    return join(this.directory.temp, 'pocketbase');
  }

  get storage(): string {
    return this.directory.storage;
  }

  /** Throws a StartError when something is in the directory already; nothing was touched then. */
  async requireEmpty(): Promise<void> {
    const found = await readdir(this.directory.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new StartError(`The data directory ${this.directory.path} cannot be read: ${error.message}`);
    });
    if (found.length > 0) {
      throw new StartError(`The data directory ${this.directory.path} is not empty: nothing was imported.`);
    }
  }

  /** Makes a fresh instance in the directory and runs the work in it; takes everything away when the work fails. */
  async fill<T>(work: () => Promise<T>): Promise<T> {
    await this.lock.acquire();
    try {
      await this.directory.emptyTemp();
      await this.database.open();
      await this.auxiliary.open();
      await this.settings.load();
      await this.collections.load();
      const result = await work();
      await this.directory.emptyTemp();
      return result;
    } catch (error) {
      await this.clear();
      throw error;
    }
  }

  private async clear(): Promise<void> {
    await this.auxiliary.close();
    await this.database.close();
    await this.lock.release();
    for (const name of await readdir(this.directory.path)) {
      await rm(join(this.directory.path, name), { recursive: true, force: true });
    }
  }
}
