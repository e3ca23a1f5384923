import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { type BrokenView, CollectionsService } from '../collections/collections.service.js';
import { StartError } from '../config/start.error.js';
import { Database } from '../database/database.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { messageOf } from '../kernel/errors/message-of.js';
import { SettingsService } from '../settings/settings.service.js';
import { EntityDifferencesFinder } from './entity-differences.js';
import { MigrationApp } from './migration-app.js';
import { MigrationFiles, type MigrationModule, stemOf } from './migration-files.js';
import { MigrationHistory } from './migration-history.js';
import { EMPTY_MIGRATION, entitiesText, snapshotText } from './migration-text.js';

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
  /** Views in the snapshot that do not work and will not work after it is applied. */
  readonly brokenViews: readonly BrokenView[];
}

/** What `create --from-entities` wrote. */
export interface WrittenDifferences {
  /** Undefined when there is nothing to change. */
  readonly path?: string;
  /** Entities whose table is a collection. */
  readonly leftOut: readonly string[];
}

const EXCLUSIVE = { exclusive: true };

interface LoadedMigration {
  readonly file: string;
  readonly module: MigrationModule;
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
    private readonly differences: EntityDifferencesFinder,
  ) {}

  /** Throws a StartError when the folder of the files was named and does not exist. */
  async requireFolder(): Promise<void> {
    await this.files.requireFolder();
  }

  /** Applies what is pending, all of it or nothing; the files in order. Throws a StartError that names the file. */
  async up(): Promise<string[]> {
    const pending = await this.load(await this.findPending());
    if (pending.length === 0) return [];
    await this.inTransaction(pending, async () => {
      for (const { file, module } of pending) {
        await inMigration(file, async () => {
          if (typeof module.up !== 'function') throw new Error('it exports no function up');
          await module.up(this.app);
        });
      }
      await this.history.add(pending.map(({ file }) => file));
    });
    return pending.map(({ file }) => file);
  }

  /** The applied migrations that `down` would revert, newest first. */
  async findLast(count: number): Promise<string[]> {
    const present = new Map((await this.files.list()).map((file) => [stemOf(file), file]));
    const applied = (await this.history.list()).flatMap((file) => present.get(stemOf(file)) ?? []);
    return applied.slice(-count).toReversed();
  }

  /** Takes the last applied migrations back, newest first, all of them or none. Throws a StartError. */
  async down(count: number): Promise<RevertedMigrations> {
    const missing = await this.findMissing();
    const reverted = await this.findLast(count);
    const loaded = await this.load(reverted);
    await this.inTransaction(loaded, async () => {
      for (const { file, module } of loaded) {
        await inMigration(file, async () => {
          await module.down?.(this.app);
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
   * Writes the migration that makes the tables of a team's entities what the entities say. Writes nothing when they
   * are, and throws a StartError while others are pending, which may do a part of it.
   */
  async createFromEntities(name: string): Promise<WrittenDifferences> {
    const pending = await this.findPending();
    if (pending.length > 0) throw new StartError(`Apply what is pending first (migrate up): ${pending.join(', ')}`);
    const differences = await this.differences.find();
    const text = entitiesText(differences);
    const path = text && this.files.path(await this.files.write(snakeCase(name), text));
    return { path, leftOut: differences.leftOut };
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

  private async findPending(): Promise<string[]> {
    const applied = new Set((await this.history.list()).map(stemOf));
    return (await this.files.list()).filter((file) => !applied.has(stemOf(file)));
  }

  private async findMissing(): Promise<string[]> {
    const present = new Set((await this.files.list()).map(stemOf));
    return (await this.history.list()).filter((file) => !present.has(stemOf(file)));
  }

  private async load(files: readonly string[]): Promise<LoadedMigration[]> {
    const loaded: LoadedMigration[] = [];
    for (const file of files) {
      await inMigration(file, async () => {
        loaded.push({ file, module: await this.files.load(file) });
      });
    }
    return loaded;
  }

  /**
   * Runs migrations in a transaction, and reloads what is kept in memory, because their SQL may change it. The
   * transaction is exclusive from the beginning, as changes of collections require, so that no migration has to run
   * twice.
   */
  private async inTransaction(migrations: readonly LoadedMigration[], work: () => Promise<void>): Promise<void> {
    if (migrations.some(({ module }) => module.withoutForeignKeys === true)) {
      await this.database.upkeep.withoutForeignKeys(() =>
        this.database.transaction(async () => {
          await work();
          await this.requireWholeKeys();
        }, EXCLUSIVE),
      );
    } else await this.database.transaction(work, EXCLUSIVE);
    await this.settings.load();
    await this.store.load();
  }

  /** Checks the foreign keys that were not enforced meanwhile. */
  private async requireWholeKeys(): Promise<void> {
    const { brokenReferences } = this.database.dialect.schema;
    if (!brokenReferences) return;
    const { rows } = await this.database.run<{ table: string; parent: string }>(brokenReferences);
    const [first] = rows;
    if (first)
      throw new StartError(`The migrations leave rows of ${first.table} that refer to none of ${first.parent}.`);
  }
}

async function inMigration(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const data = error instanceof ApiError ? error.data : {};
    const details = Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : '';
    const reason = messageOf(error);
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
