import { QueryResult, type ReplicationMode, TypeORMError } from 'typeorm';
import type { AbstractSqliteDriver } from 'typeorm/driver/sqlite-abstract/AbstractSqliteDriver.js';
import { AbstractSqliteQueryRunner } from 'typeorm/driver/sqlite-abstract/AbstractSqliteQueryRunner.js';
import { Broadcaster } from 'typeorm/subscriber/Broadcaster.js';
import { DateUtils } from 'typeorm/util/DateUtils.js';
import type { SqlValue } from '../../kernel/fields/field-type.js';
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
    this.statements = new AmbientStatements(this as unknown as AmbientRunner, dataSource.ambient, {
      shape: toQueryResult,
      bind: toSqlValue,
    });
  }

  /** There is nothing to connect to before a statement runs, and no raw connection to hand out. */
  override connect(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Does nothing: foreign keys are switched off by Database, which runs the migrations. */
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

/** TypeORM hands on what an application gave to `find` and `query`. */
function toSqlValue(value: unknown): SqlValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return DateUtils.mixedDateToUtcDatetimeString(value) as string;
  if (value === null || ['string', 'number', 'bigint'].includes(typeof value) || value instanceof Uint8Array) {
    return value as SqlValue;
  }
  throw new TypeORMError(`A value of type ${typeof value} cannot be bound.`);
}
