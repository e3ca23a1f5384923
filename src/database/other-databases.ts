import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { AuxiliaryDatabase, Database } from './database.js';
import { createDatabase } from './chosen-database.js';
import { DataDirectory } from './data-directory.js';
import { placeOf } from './postgres/postgres-dialect.js';
import { DataDirLock } from './sqlite/data-dir-lock.js';
import { sqliteDriver } from './sqlite/sqlite-dialect.js';

/** Connections that copying takes, at most: it does one thing after the other. */
const POOL = 2;

/** Seconds that copying waits for other programs that use the tables it replaces. */
const LOCK_TIMEOUT = 10;

/** Where a database is: the address of one that a server has, or a data directory. */
export type DatabasePlace = { readonly url: string } | { readonly dir: string };

/** A database besides the one of the application, with its logs. Nothing is opened before it is used. */
export class OtherDatabase {
  constructor(
    /** What it is called in messages. */
    readonly place: string,
    readonly directory: DataDirectory,
    readonly lock: DataDirLock,
    readonly data: Database,
    readonly logs: AuxiliaryDatabase,
  ) {}

  async close(): Promise<void> {
    await this.logs.lifecycle.close();
    await this.data.lifecycle.close();
  }
}

/** Databases that are copied from or to. Statements on them have no time limit, because copying may take long. */
@Injectable()
export class OtherDatabases {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  at(place: DatabasePlace): OtherDatabase {
    const url = 'url' in place ? place.url : null;
    const dir = 'dir' in place ? place.dir : this.config.dir;
    const config = {
      ...this.config,
      dir,
      databaseUrl: url,
      databaseDirectUrl: null,
      databasePool: POOL,
      queryTimeout: 0,
    };
    const directory = new DataDirectory(dir, { holdsData: url === null });
    const lock = new DataDirLock(directory, sqliteDriver(config.databaseDriver), config);
    const common = { config, directory, lock, allowsBegin: false, lockTimeout: LOCK_TIMEOUT };
    return new OtherDatabase(
      url === null ? dir : placeOf(url),
      directory,
      lock,
      createDatabase(Database, { ...common, part: 'data' }),
      createDatabase(AuxiliaryDatabase, { ...common, part: 'auxiliary' }),
    );
  }

  /** The application's own database, with connections of their own that have no time limit, past a pooler. */
  own(): OtherDatabase {
    const { databaseUrl, databaseDirectUrl, dir } = this.config;
    return this.at(databaseUrl === null ? { dir } : { url: databaseDirectUrl ?? databaseUrl });
  }

  /** Whether a place is that of the application. */
  isOwn(place: DatabasePlace): boolean {
    const { databaseUrl, databaseDirectUrl, dir } = this.config;
    if ('dir' in place) return databaseUrl === null && place.dir === dir;
    return [databaseUrl, databaseDirectUrl].some((url) => url !== null && placeOf(url) === placeOf(place.url));
  }
}
