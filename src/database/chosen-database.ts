import { Logger } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { urlsOf } from '../config/database-hosts.js';
import type { RoostConfig } from '../config/roost-config.js';
import { ambientOptions } from './ambient-data-source.js';
import type { SharedTurns } from '../kernel/turn-queue.js';
import type { DataDirectory } from './data-directory.js';
import { type CompiledSql, Database, type DatabaseOptions } from './database.js';
import type { Dialect } from './dialect.js';
import { PostgresDialect, placeOf } from './postgres/postgres-dialect.js';
import { POSTGRES_PREPARATION } from './postgres/postgres-functions.js';
import type { DataDirLock } from './sqlite/data-dir-lock.js';
import { SqliteDialect, sqliteDriver } from './sqlite/sqlite-dialect.js';
import { UNFINISHED_TABLE } from './own-tables.js';
import { MIGRATIONS_TABLE, migrationsFolder, SystemMigrator, type MigrationLock } from './system-migrator.js';

/** The data, or the logs beside it. */
export type DatabasePart = 'data' | 'auxiliary';

/** What decides which database is used, and where it is. */
export interface DatabaseParts {
  readonly part: DatabasePart;
  readonly config: RoostConfig;
  readonly directory: DataDirectory;
  readonly lock: DataDirLock;
  /** The turns to write, where other processes write too. */
  readonly turns?: SharedTurns;
  /** The folder of its system migrations, by default Roost's own. */
  readonly migrations?: string;
  readonly allowsBegin?: boolean;
  /** As in DatabaseOptions. */
  readonly hasPeers?: boolean;
  /** Seconds that a statement waits for what other programs hold; without it, as long as they do. */
  readonly lockTimeout?: number;
}

/** One kind of database, as it was chosen. */
interface ChosenDatabase {
  readonly dialect: Dialect;
  readonly driver: 'better-sqlite3' | 'sqlite3' | 'postgres';
  /** What it is called in messages. */
  readonly place: string;
  /** The table that tells which system migrations have run. */
  readonly history: string;
  /** Who may migrate it. */
  readonly lock: MigrationLock;
  /** Statements before the first migration of a transaction. */
  readonly preparation: readonly string[];
}

const MARK: CompiledSql = { sql: `CREATE TABLE IF NOT EXISTS "${UNFINISHED_TABLE}" ("id" TEXT)`, params: [] };

type DatabaseClass<T extends Database> = new (dialect: Dialect, options: DatabaseOptions) => T;

/** Connections that the log has for itself, so that it never waits for the requests it tells of. */
const LOG_POOL = 2;

/** On PostgreSQL one transaction is enough to keep others from migrating. */
const NO_LOCK: MigrationLock = { tryAcquire: () => Promise.resolve(true), release: () => Promise.resolve() };

/** Puts a database together: where it is, its migrations and, with `--dev`, the log of its statements. */
export function createDatabase<T extends Database>(Type: DatabaseClass<T>, parts: DatabaseParts): T {
  const { part, config, allowsBegin, hasPeers, migrations = migrationsFolder(part) } = parts;
  const { dialect, place, history, lock, preparation } = choose(parts);
  const logger = new Logger('SQL');
  const database: T = new Type(dialect, {
    prepare: async (opening) => {
      // The mark comes after the check for tables of others and before any of ours, so that an interrupted filling is
      // recognised.
      if (opening.fills && part === 'data') await opening.migrate(() => database.run(MARK));
      await migrator.run(opening);
    },
    inspect: (database) => migrator.requireKnown(database),
    allowsBegin,
    hasPeers,
    ...(config.dev && { trace: (sql, milliseconds) => logger.debug(`${milliseconds.toFixed(1)} ms  ${sql}`) }),
  });
  const dataSource = dataSourceOptions(parts, database);
  const set = { folder: migrations, place, history, schema: dialect.schema, preparation, dataSource };
  const migrator = new SystemMigrator(set, lock);
  return database;
}

/** What TypeORM is told about it. */
export function dataSourceOptions(
  parts: Pick<DatabaseParts, 'part' | 'config' | 'directory'>,
  database: Database,
): DataSourceOptions {
  const { databaseUrl, databaseDriver } = parts.config;
  if (databaseUrl === null) {
    return ambientOptions({
      driver: databaseDriver,
      place: parts.directory[parts.part],
      database,
      history: MIGRATIONS_TABLE,
    });
  }
  const place = decodeURIComponent(new URL(urlsOf(databaseUrl)[0]!).pathname.slice(1));
  return ambientOptions({ driver: 'postgres', place, database, history: postgresHistory(parts.part) });
}

/** The one place that knows which database it is. */
function choose({ part, config, directory, lock, lockTimeout, turns, hasPeers }: DatabaseParts): ChosenDatabase {
  const { databaseUrl: url, databaseDirectUrl, databaseDriver, databasePool, queryTimeout } = config;
  if (url === null) {
    const file = directory[part];
    const driver = sqliteDriver(databaseDriver);
    const isMarked = part === 'data';
    const dialect = new SqliteDialect({ file, driver, queryTimeout, ownTable: MIGRATIONS_TABLE, isMarked, turns });
    return { dialect, driver: databaseDriver, place: file, history: MIGRATIONS_TABLE, lock, preparation: [] };
  }
  const pool = part === 'data' ? databasePool : LOG_POOL;
  const dialect = new PostgresDialect({
    url,
    directUrl: databaseDirectUrl ?? undefined,
    pool,
    queryTimeout,
    lockTimeout,
    ownTable: MIGRATIONS_TABLE,
    tellsOthers: part === 'data',
    isMarked: part === 'data',
    hasPeers: hasPeers && part === 'data',
  });
  const history = postgresHistory(part);
  const place = placeOf(url);
  return { dialect, driver: 'postgres', place, history, lock: NO_LOCK, preparation: POSTGRES_PREPARATION };
}

/** Both parts are in one database there. */
function postgresHistory(part: DatabasePart): string {
  return part === 'data' ? MIGRATIONS_TABLE : '_auxiliary_migrations';
}
