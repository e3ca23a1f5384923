import { QueryResult, type ReplicationMode } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { AmbientDataSource } from '../ambient-data-source.js';
import { AmbientStatements, type AmbientRunner } from '../ambient-statements.js';
import type { StatementResult } from '../dialect.js';

/** TypeORM's query runner for PostgreSQL, which spells changes of the schema, without a connection of its own. */
export class AmbientPostgresQueryRunner extends PostgresQueryRunner {
  private readonly statements: AmbientStatements;

  constructor(dataSource: AmbientDataSource, mode: ReplicationMode) {
    super(dataSource.driver as PostgresDriver, mode);
    this.statements = new AmbientStatements(this as unknown as AmbientRunner, dataSource.ambient, toQueryResult);
  }

  /** There is nothing to connect to before a statement runs, and no raw connection to hand out. */
  override connect(): Promise<undefined> {
    return Promise.resolve(undefined);
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

/** As TypeORM's own one gives it: a change that returns rows comes with how many it changed. */
function toQueryResult(sql: string, { rows, changes }: StatementResult): QueryResult {
  const result = new QueryResult();
  result.records = rows;
  result.affected = changes;
  result.raw = /^\s*(?:UPDATE|DELETE)\b/i.test(sql) ? [rows, changes] : rows;
  return result;
}
