import { DataSource, type DataSourceOptions, type EntityManager, type QueryRunner } from 'typeorm';
import { AmbientEntityManager } from './ambient-entity-manager.js';
import type { Database } from './database.js';
import { AmbientPostgresQueryRunner } from './postgres/ambient-postgres-query-runner.js';
import { AmbientSqliteQueryRunner } from './sqlite/ambient-sqlite-query-runner.js';

/** The options of the DataSource. Those that TypeORM has no place for are passed in `extra`. */
export interface AmbientOptions {
  readonly driver: 'better-sqlite3' | 'sqlite3' | 'postgres';
  /** The file, or the name of the database. */
  readonly place: string;
  readonly database: Database;
  /** The table that tells which system migrations have run. */
  readonly history: string;
}

/** The DataSource options for a database whose connections are ours. */
export function ambientOptions({ driver, place, database, history }: AmbientOptions): DataSourceOptions {
  const common = {
    database: place,
    extra: { database },
    synchronize: false,
    logging: false,
    // TypeORM's default logger writes to stdout even when logging is off, and stdout belongs to the results of
    // commands.
    logger: 'debug',
    migrationsTableName: history,
  } as const;
  // TypeORM would load the driver and open a connection of its own; neither is wanted.
  if (driver === 'postgres') return { ...common, type: 'postgres', driver: {} };
  if (driver === 'sqlite3') return { ...common, type: 'sqlite', driver: { verbose: () => ({}) } };
  return { ...common, type: 'better-sqlite3', driver: {} };
}

/**
 * The DataSource that TypeORM's repositories, managers and query builders work with. Every query runner of it goes
 * through Database: it joins the ambient transaction or waits its turn, and reads outside of one never wait.
 *
 * TypeORM's own SQLite drivers share one connection and one query runner among all requests, so that a plain `save()`
 * can slip into somebody else's transaction and be lost with it; its PostgreSQL driver would write beside the ambient
 * transaction.
 *
 * It opens no file itself, so it can be initialized at once and is usable at any time.
 */
export class AmbientDataSource extends DataSource {
  readonly ambient: Database;

  constructor(options: DataSourceOptions) {
    super(options);
    this.ambient = (options.extra as { database: Database }).database;
    const { driver } = this;
    driver.connect = () => Promise.resolve();
    driver.disconnect = () => Promise.resolve();
    driver.afterConnect = () => Promise.resolve();
    const Runner = options.type === 'postgres' ? AmbientPostgresQueryRunner : AmbientSqliteQueryRunner;
    driver.createQueryRunner = (mode) => new Runner(this, mode);
  }

  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    return new AmbientEntityManager(this, queryRunner);
  }

  /** Does nothing: Database decides when the files are closed, and it does so after everybody else has stopped. */
  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}
