import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';
import { messageOf } from '../kernel/errors/message-of.js';
import { AmbientDataSource } from './ambient-data-source.js';
import { DataDirectoryError } from './data-directory.error.js';
import type { OpeningDatabase } from './database-lifecycle.js';
import type { SchemaDdl } from './schema-ddl.js';

/** The table that tells which migrations have run; every database of Roost has it. */
export const MIGRATIONS_TABLE = '_system_migrations';
const MIGRATION_FILE = /^(\d{13})-.*\.js$/;
const WAIT_MILLISECONDS = 10_000;
const LOOK_AGAIN_MILLISECONDS = 100;

type MigrationClass = new () => MigrationInterface;

/** Which migrations belong to which database. */
export interface MigrationSet {
  /** The folder with the files, one TypeORM migration each, named `<timestamp>-<what-it-does>`. */
  readonly folder: string;
  /** What the database is called in messages. */
  readonly place: string;
  /** The table that tells which of them have run. */
  readonly history: string;
  readonly schema: SchemaDdl;
  /** Statements to be run before them, in their transaction. They may keep others from migrating meanwhile. */
  readonly preparation: readonly string[];
  readonly dataSource: DataSourceOptions;
}

/** Prevents other instances from migrating. */
export interface MigrationLock {
  /** False while another instance has it. */
  tryAcquire(): Promise<boolean>;
  release(): Promise<void>;
}

/** Where the migrations of a database are, beside the compiled code. */
export function migrationsFolder(database: 'data' | 'auxiliary'): string {
  const root = fileURLToPath(new URL('../migrations', import.meta.url));
  return database === 'data' ? root : join(root, database);
}

/** The names of the migrations in a folder, as histories note them, in their order. */
export async function knownMigrations(folder: string): Promise<string[]> {
  return (await loadMigrations(folder)).map(({ name }) => name);
}

async function loadMigrations(folder: string): Promise<MigrationClass[]> {
  const files = (await readdir(folder).catch(() => [])).filter((file) => MIGRATION_FILE.test(file)).sort();
  return Promise.all(files.map((file) => loadMigration(folder, file)));
}

async function loadMigration(folder: string, file: string): Promise<MigrationClass> {
  const module = (await import(pathToFileURL(join(folder, file)).href)) as Record<string, MigrationClass>;
  const timestamp = MIGRATION_FILE.exec(file)?.[1] ?? '';
  const migration = Object.values(module).find((each) => typeof each === 'function' && each.name.endsWith(timestamp));
  // TypeORM sorts by the number in the class name, so it must be that of the file.
  if (!migration) throw new Error(`The migration ${file} exports no class whose name ends in ${timestamp}.`);
  return migration;
}

/**
 * Brings Roost's own tables up to date (OPS-180): all pending migrations in one transaction, in the order of their
 * file names. Takes the lock of the database meanwhile; while another instance has it, waits for that one to apply
 * them.
 *
 * A database with migrations this version does not know is refused unchanged (OPS-181).
 */
export class SystemMigrator {
  constructor(
    private readonly set: MigrationSet,
    private readonly lock: MigrationLock,
  ) {}

  async run(opening: OpeningDatabase): Promise<void> {
    const migrations = await loadMigrations(this.set.folder);
    const deadline = performance.now() + WAIT_MILLISECONDS;
    while ((await this.findPending(opening, migrations)).length > 0) {
      if (await this.lock.tryAcquire()) {
        try {
          return await this.apply(opening, migrations);
        } finally {
          await this.lock.release();
        }
      }
      // Another instance has the lock and may be applying the migrations.
      if (performance.now() > deadline) throw this.error('needs system migrations, but another instance is using it');
      await sleep(LOOK_AGAIN_MILLISECONDS);
    }
  }

  /** Throws a DataDirectoryError when it was made by a newer version. */
  async requireKnown(database: Pick<OpeningDatabase, 'read'>): Promise<void> {
    await this.findPending(database, await loadMigrations(this.set.folder));
  }

  private async findPending(
    opening: Pick<OpeningDatabase, 'read'>,
    migrations: readonly MigrationClass[],
  ): Promise<MigrationClass[]> {
    const applied = new Set(await this.findApplied(opening));
    const pending = migrations.filter((migration) => !applied.delete(nameOf(migration)));
    if (applied.size > 0) {
      throw this.error(`was made by a newer version; this one does not know ${[...applied].join(', ')}`);
    }
    return pending;
  }

  /** In a damaged database this may be the first table that cannot be read. */
  private async findApplied(opening: Pick<OpeningDatabase, 'read'>): Promise<string[]> {
    const { history, schema } = this.set;
    try {
      const columns = await opening.read(schema.columnNames(history));
      if (columns.length === 0) return [];
      const rows = await opening.read<{ name: string }>({
        sql: `SELECT name FROM "${history}" ORDER BY id`,
        params: [],
      });
      return rows.map(({ name }) => name);
    } catch (error) {
      throw this.error(`cannot be read: ${messageOf(error)}`, error);
    }
  }

  private async apply(opening: OpeningDatabase, migrations: MigrationClass[]): Promise<void> {
    const dataSource = new AmbientDataSource({ ...this.set.dataSource, migrations });
    await dataSource.initialize();
    try {
      await opening.migrate(async () => {
        for (const sql of this.set.preparation) await dataSource.query(sql);
        await dataSource.runMigrations({ transaction: 'none' });
      });
    } catch (error) {
      throw this.error(`could not be migrated: ${messageOf(error)}`, error);
    }
  }

  private error(what: string, cause?: unknown): DataDirectoryError {
    return new DataDirectoryError(`The database ${this.set.place} ${what}.`, { cause });
  }
}

/** The name TypeORM records. */
function nameOf(migration: MigrationClass): string {
  return new migration().name ?? migration.name;
}
