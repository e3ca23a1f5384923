import { QueryResult, type ReplicationMode } from 'typeorm';
import type { AbstractSqliteDriver } from 'typeorm/driver/sqlite-abstract/AbstractSqliteDriver.js';
import { AbstractSqliteQueryRunner } from 'typeorm/driver/sqlite-abstract/AbstractSqliteQueryRunner.js';
import { Broadcaster } from 'typeorm/subscriber/Broadcaster.js';
import type { AmbientDataSource } from '../ambient-data-source.js';
import { AmbientStatements, type AmbientRunner } from '../ambient-statements.js';
import type { StatementResult } from '../dialect.js';
import { returnsRows } from './sqlite-text.js';

/** TypeORM's query runner for SQLite, which spells changes of the schema, without a connection of its own. */
export class AmbientSqliteQueryRunner extends AbstractSqliteQueryRunner {
  private readonly statements: AmbientStatements;

  constructor(dataSource: AmbientDataSource, mode: ReplicationMode) {
    super();
    this.connection = dataSource;
    this.driver = dataSource.driver as AbstractSqliteDriver;
    this.broadcaster = new Broadcaster(this);
    this.mode = mode;
    this.statements = new AmbientStatements(this as unknown as AmbientRunner, dataSource.ambient, toQueryResult);
  }

  /** There is nothing to connect to before a statement runs, and no raw connection to hand out. */
  override connect(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Foreign keys are a matter of Database, which runs the migrations. */
  override beforeMigration(): Promise<void> {
    return Promise.resolve();
  }

  override afterMigration(): Promise<void> {
    return Promise.resolve();
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- TypeORM's own type
  override query(sql: string, parameters?: unknown[], useStructuredResult?: boolean): Promise<any> {
    return this.statements.query(sql, parameters, useStructuredResult);
  }

  override startTransaction(): Promise<void> {
    return this.statements.startTransaction();
  }

  override commitTransaction(): Promise<void> {
    return this.statements.commitTransaction();
  }

  override rollbackTransaction(): Promise<void> {
    return this.statements.rollbackTransaction();
  }

  override async release(): Promise<void> {
    await this.statements.release();
    await super.release();
  }
}

function toQueryResult(sql: string, { rows, changes, lastInsertId }: StatementResult): QueryResult {
  const result = new QueryResult();
  const hasRows = returnsRows(sql);
  result.raw = hasRows ? rows : lastInsertId;
  result.records = rows;
  if (!hasRows || changes > 0) result.affected = changes;
  return result;
}
