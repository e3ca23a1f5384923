import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { FilterCache } from '../kernel/filter/filter-cache.js';
import { ExpressionCompiler } from '../kernel/resolve/expression-compiler.js';
import { AmbientDataSource } from './ambient-data-source.js';
import { AuxiliaryDatabase, Database } from './database.js';
import { createDatabase, dataSourceOptions } from './chosen-database.js';
import { DataDirectory } from './data-directory.js';
import { DatabaseCheck } from './database-check.js';
import { DirectoryUsers } from './directory-users.js';
import { OtherDatabases } from './other-databases.js';
import { RequestFreshness } from './request-freshness.js';
import { SchemaSync } from './schema-sync.js';
import { StoredVersions } from './stored-versions.js';
import { DataDirLock } from './sqlite/data-dir-lock.js';
import { sqliteDriver } from './sqlite/sqlite-dialect.js';

/** The name of the auxiliary database for `@InjectRepository(entity, AUXILIARY)` and `TypeOrmModule.forFeature`. */
export const AUXILIARY = 'auxiliary';

/** Injects `allowsBegin` of DatabaseOptions. */
const ALLOWS_BEGIN = Symbol('ALLOWS_BEGIN');

/** Nothing is connected to here, and an entity that cannot be used will not get better in half a minute. */
const toRetry = (): boolean => false;

/**
 * The databases of the application, and TypeORM on top of them. Nothing is opened before it is used, so that a command
 * that needs no data touches no file; everything is closed when the application has shut down.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ROOST_CONFIG, DataDirectory, Database],
      useFactory: (config: RoostConfig, directory: DataDirectory, database: Database) => ({
        ...dataSourceOptions({ part: 'data', config, directory }, database),
        autoLoadEntities: true,
        toRetry,
      }),
      dataSourceFactory: (options) => Promise.resolve(new AmbientDataSource(options!)),
    }),
    TypeOrmModule.forRootAsync({
      name: AUXILIARY,
      inject: [ROOST_CONFIG, DataDirectory, AuxiliaryDatabase],
      useFactory: (config: RoostConfig, directory: DataDirectory, database: AuxiliaryDatabase) => ({
        ...dataSourceOptions({ part: 'auxiliary', config, directory }, database),
        autoLoadEntities: true,
        toRetry,
      }),
      dataSourceFactory: (options) => Promise.resolve(new AmbientDataSource(options!)),
    }),
  ],
  providers: [
    RequestFreshness,
    SchemaSync,
    StoredVersions,
    DatabaseCheck,
    OtherDatabases,
    {
      provide: DataDirectory,
      inject: [ROOST_CONFIG],
      useFactory: (config: RoostConfig) =>
        new DataDirectory(
          config.dir,
          config.databaseUrl === null
            ? { holdsData: true }
            : { holdsData: false, users: new DirectoryUsers(config.dir, sqliteDriver(config.databaseDriver), config) },
        ),
    },
    {
      provide: DataDirLock,
      inject: [ROOST_CONFIG, DataDirectory, INSTANCE_LINK],
      useFactory: (config: RoostConfig, directory: DataDirectory, link: InstanceLink) =>
        new DataDirLock(directory, sqliteDriver(config.databaseDriver), {
          unsafeNoLock: config.unsafeNoLock,
          isHeldForUs: link.isDirectoryLocked,
        }),
    },
    {
      provide: Database,
      inject: [ROOST_CONFIG, DataDirectory, DataDirLock, INSTANCE_LINK, { token: ALLOWS_BEGIN, optional: true }],
      useFactory: (
        config: RoostConfig,
        directory: DataDirectory,
        lock: DataDirLock,
        { turns, isAlone }: InstanceLink,
        allowsBegin?: boolean,
      ) => createDatabase(Database, { part: 'data', config, directory, lock, turns, hasPeers: !isAlone, allowsBegin }),
    },
    {
      provide: AuxiliaryDatabase,
      inject: [ROOST_CONFIG, DataDirectory, DataDirLock, { token: ALLOWS_BEGIN, optional: true }],
      useFactory: (config: RoostConfig, directory: DataDirectory, lock: DataDirLock, allowsBegin?: boolean) =>
        createDatabase(AuxiliaryDatabase, { part: 'auxiliary', config, directory, lock, allowsBegin }),
    },
    {
      provide: ExpressionCompiler,
      inject: [Database],
      useFactory: ({ dialect }: Database) => {
        const trees = new FilterCache();
        return new ExpressionCompiler(
          () => dialect.newCompiler(),
          (text) => trees.parse(text),
        );
      },
    },
  ],
  exports: [
    DatabaseCheck,
    DataDirectory,
    DataDirLock,
    Database,
    AuxiliaryDatabase,
    OtherDatabases,
    SchemaSync,
    StoredVersions,
    ExpressionCompiler,
  ],
})
export class DatabaseModule implements OnApplicationShutdown {
  /** Roost's own modules begin their transactions with `transaction` alone; those of a team may use query runners. */
  static forRoot({ allowsBegin }: { readonly allowsBegin: boolean }): DynamicModule {
    return { module: DatabaseModule, providers: [{ provide: ALLOWS_BEGIN, useValue: allowsBegin }] };
  }

  constructor(
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly lock: DataDirLock,
    private readonly directory: DataDirectory,
  ) {}

  /** The lock is released last, so that the next process finds both files complete. */
  async onApplicationShutdown(): Promise<void> {
    for (const { lifecycle, transactions } of [this.auxiliary, this.database]) {
      await lifecycle.close();
      transactions.end();
    }
    await this.lock.release();
    await this.directory.users?.leave();
  }
}
