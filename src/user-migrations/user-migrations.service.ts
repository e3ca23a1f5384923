import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { type BrokenView, CollectionsService } from '../collections/collections.service.js';
import { StartError } from '../config/start.error.js';
import { Database } from '../database/database.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { SettingsService } from '../settings/settings.service.js';
import { MigrationApp } from './migration-app.js';
import { MigrationFiles } from './migration-files.js';
import { MigrationHistory } from './migration-history.js';
import { EMPTY_MIGRATION, snapshotText } from './migration-text.js';

/** What `down` did. */
export interface RevertedMigrations {
  /** Newest first. */
  readonly reverted: readonly string[];
  /** Those in the history whose file is gone; they stay there. */
  readonly missing: readonly string[];
}

/** What `collections` wrote. */
export interface WrittenSnapshot {
  readonly path: string;
  /** These are in it as well, and will give no records after it either. */
  readonly brokenViews: readonly BrokenView[];
}

/** The migrations of the people who use Roost (chapter 06 K). */
@Injectable()
export class UserMigrationsService {
  constructor(
    private readonly database: Database,
    private readonly files: MigrationFiles,
    private readonly history: MigrationHistory,
    private readonly app: MigrationApp,
    private readonly store: CollectionStore,
    private readonly collections: CollectionsService,
    private readonly settings: SettingsService,
  ) {}

  /** Throws a StartError when the folder of the files was named and does not exist. */
  async requireFolder(): Promise<void> {
    await this.files.requireFolder();
  }

  /** Applies what is pending, all of it or nothing; the files in order. Throws a StartError that names the file. */
  async up(): Promise<string[]> {
    const applied = new Set(await this.history.list());
    const pending = (await this.files.list()).filter((file) => !applied.has(file));
    if (pending.length === 0) return [];
    await this.inTransaction(async () => {
      for (const file of pending) {
        await inMigration(file, async () => {
          const { up } = await this.files.load(file);
          if (typeof up !== 'function') throw new Error('it exports no function up');
          await up(this.app);
        });
      }
      await this.history.add(pending);
    });
    return pending;
  }

  /** The applied migrations that `down` would revert, newest first. */
  async findLast(count: number): Promise<string[]> {
    const present = new Set(await this.files.list());
    const applied = (await this.history.list()).filter((file) => present.has(file));
    return applied.slice(-count).toReversed();
  }

  /** Takes the last applied migrations back, newest first, all of them or none. Throws a StartError. */
  async down(count: number): Promise<RevertedMigrations> {
    const missing = await this.findMissing();
    const reverted = await this.findLast(count);
    await this.inTransaction(async () => {
      for (const file of reverted) {
        await inMigration(file, async () => {
          const { down } = await this.files.load(file);
          await down?.(this.app);
        });
      }
      await this.history.remove(reverted);
    });
    return { reverted, missing };
  }

  /** Writes an empty migration and gives its path. */
  async create(name: string): Promise<string> {
    return this.files.path(await this.files.write(snakeCase(name), EMPTY_MIGRATION));
  }

  /**
   * Writes a migration that imports all present collections. Here it counts as applied: to apply it later would undo
   * what was changed meanwhile.
   */
  async createSnapshot(): Promise<WrittenSnapshot> {
    const brokenViews = await this.collections.findBrokenViews();
    const text = snapshotText(
      this.collections.all(),
      brokenViews.map(({ view }) => view),
    );
    const file = await this.database.transaction(async () => {
      const written = await this.files.write('collections_snapshot', text);
      this.database.afterRollback(() => this.files.remove(written));
      await this.history.add([written]);
      return written;
    });
    return { path: this.files.path(file), brokenViews };
  }

  /** Forgets applied migrations whose file is gone, and names them. */
  async syncHistory(): Promise<string[]> {
    const missing = await this.findMissing();
    await this.database.transaction(() => this.history.remove(missing));
    return missing;
  }

  private async findMissing(): Promise<string[]> {
    const present = new Set(await this.files.list());
    return (await this.history.list()).filter((file) => !present.has(file));
  }

  /** Statements of a migration may change what is kept in memory, past the services that keep it. */
  private async inTransaction(work: () => Promise<void>): Promise<void> {
    await this.database.transaction(work);
    await this.settings.load();
    await this.store.load();
  }
}

async function inMigration(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const data = error instanceof ApiError ? error.data : {};
    const details = Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : '';
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The migration ${file} failed: ${reason}${details}`, { cause: error });
  }
}

function snakeCase(name: string): string {
  const words =
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('_') || 'migration';
}
