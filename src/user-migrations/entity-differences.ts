import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type QueryRunner } from 'typeorm';
import { CollectionStore } from '../collections/collection-store.js';

/** A statement with its values. */
export interface MigrationStatement {
  readonly query: string;
  readonly parameters?: readonly unknown[];
}

/** Statements that bring the tables in line with the entities, and their inverse. */
export interface EntityDifferences {
  readonly up: readonly MigrationStatement[];
  readonly down: readonly MigrationStatement[];
  /** Entities whose table is a collection, which is changed as one. */
  readonly leftOut: readonly string[];
}

/** What TypeORM's schema builder can do besides what its interface says. */
interface SchemaBuilder {
  log(): Promise<Statements>;
  createMetadataTableIfNecessary(runner: QueryRunner): Promise<void>;
}

interface Statements {
  readonly upQueries: readonly MigrationStatement[];
  readonly downQueries: readonly MigrationStatement[];
}

/** Compares the TypeORM entities of a team's modules with their tables. Nothing is changed. */
@Injectable()
export class EntityDifferencesFinder {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: CollectionStore,
  ) {}

  async find(): Promise<EntityDifferences> {
    const kept = this.dataSource.entityMetadatas.filter(({ synchronize }) => synchronize);
    const others = kept.filter(({ tableName }) => this.isOurs(tableName));
    // Only the schema builder reads this flag while `synchronize` of the data source is off.
    for (const metadata of others) metadata.synchronize = false;
    try {
      const builder = this.dataSource.driver.createSchemaBuilder() as unknown as SchemaBuilder;
      const beside = await this.tableOfViews(builder);
      const { upQueries, downQueries } = await builder.log();
      return {
        up: [...beside.upQueries, ...upQueries],
        down: [...downQueries.toReversed(), ...beside.downQueries.toReversed()],
        leftOut: others.filter(({ tableName }) => !tableName.startsWith('_')).map(({ name }) => name),
      };
    } finally {
      for (const metadata of others) metadata.synchronize = true;
    }
  }

  /** TypeORM stores definitions of views and computed columns in a table of its own. */
  private async tableOfViews(builder: SchemaBuilder): Promise<Statements> {
    const runner = this.dataSource.createQueryRunner();
    try {
      runner.enableSqlMemory();
      await builder.createMetadataTableIfNecessary(runner);
      return runner.getMemorySql();
    } finally {
      runner.disableSqlMemory();
      await runner.release();
    }
  }

  /** Whatever the case: SQLite tells names apart without it. */
  private isOurs(table: string): boolean {
    const name = table.toLowerCase();
    return name.startsWith('_') || this.store.catalog.all().some((each) => each.name.toLowerCase() === name);
  }
}
