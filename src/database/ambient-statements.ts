import { QueryFailedError, QueryResult, TransactionNotStartedError, TypeORMError, type QueryRunner } from 'typeorm';
import { BroadcasterResult } from 'typeorm/subscriber/BroadcasterResult.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import type { CompiledSql } from './compiled-sql.js';
import type { Database } from './database.js';
import type { StatementResult } from './dialect.js';
import { statementKind } from './sqlite/sqlite-text.js';
import type { TransactionScope } from './transaction-scope.js';

/** How TypeORM wants the outcome of a statement. */
export type ShapeResult = (sql: string, result: StatementResult) => QueryResult;

/** How values and results are converted between TypeORM and Database. */
export interface AmbientConversions {
  readonly shape: ShapeResult;
  /** Converts a value that TypeORM binds. */
  readonly bind: (value: unknown) => SqlValue;
}

/** A query runner of TypeORM whose statements and transactions are done here. */
export interface AmbientRunner extends QueryRunner {
  transactionDepth: number;
  isTransactionActive: boolean;
}

/**
 * The part of a TypeORM query runner that is the same for all databases. Its statements take part in the ambient
 * transaction, or in the one it began itself; outside of both, reads see the last committed state and writes wait for
 * the writer.
 */
export class AmbientStatements {
  private readonly scopes: TransactionScope[] = [];

  constructor(
    private readonly runner: AmbientRunner,
    private readonly database: Database,
    private readonly conversions: AmbientConversions,
  ) {}

  // oxlint-disable-next-line typescript/no-explicit-any -- TypeORM's own type: rows, an id or a QueryResult
  async query(sql: string, parameters: unknown[] = [], useStructuredResult = false): Promise<any> {
    const { runner } = this;
    const { broadcaster } = runner;
    const { logger } = runner.connection;
    const announced = new BroadcasterResult();
    logger.logQuery(sql, parameters, runner);
    broadcaster.broadcastBeforeQueryEvent(announced, sql, parameters);
    const started = performance.now();
    try {
      const result = this.conversions.shape(
        sql,
        await this.perform({ sql, params: parameters.map(this.conversions.bind), isNative: true }),
      );
      const took = performance.now() - started;
      broadcaster.broadcastAfterQueryEvent(announced, sql, parameters, true, took, result.raw, undefined);
      return useStructuredResult ? result : result.raw;
    } catch (error) {
      logger.logQueryError(error as Error, sql, parameters, runner);
      broadcaster.broadcastAfterQueryEvent(announced, sql, parameters, false, undefined, undefined, error);
      throw new QueryFailedError(sql, parameters, error as Error);
    } finally {
      await announced.wait();
    }
  }

  /** Not async: the caller's context must change before its first await (see AmbientTransactions.begin). */
  startTransaction(): Promise<void> {
    const around = this.scopes.at(-1);
    const enter = (): ReturnType<Database['transactions']['begin']> => this.database.transactions.begin();
    const { scope, begun } = around === undefined ? enter() : this.database.transactions.runIn(around, enter);
    this.scopes.push(scope);
    this.noteDepth();
    return this.completeStart(scope, begun);
  }

  async commitTransaction(): Promise<void> {
    this.requireTransaction();
    await this.runner.broadcaster.broadcast('BeforeTransactionCommit');
    await this.database.transactions.commit(this.takeScope());
    await this.runner.broadcaster.broadcast('AfterTransactionCommit');
  }

  async rollbackTransaction(): Promise<void> {
    this.requireTransaction();
    await this.runner.broadcaster.broadcast('BeforeTransactionRollback');
    await this.database.transactions.rollback(this.takeScope());
    await this.runner.broadcaster.broadcast('AfterTransactionRollback');
  }

  /** A transaction that was neither committed nor rolled back is rolled back, or all writers would wait for ever. */
  async release(): Promise<void> {
    for (const scope of this.scopes.splice(0).toReversed()) await this.database.transactions.rollback(scope);
    this.noteDepth();
  }

  private async perform(statement: CompiledSql): Promise<StatementResult> {
    const kind = statementKind(statement.sql);
    if (kind === 'transaction') {
      throw new TypeORMError('Transactions are begun and ended with methods, not with statements.');
    }
    const run = async (): Promise<StatementResult> =>
      kind === 'read'
        ? { rows: await this.database.all(statement), changes: 0, lastInsertId: 0 }
        : this.database.run(statement);
    const own = this.scopes.at(-1);
    return own === undefined ? run() : this.database.transactions.runIn(own, run);
  }

  private async completeStart(scope: TransactionScope, begun: Promise<void>): Promise<void> {
    try {
      await Promise.all([begun, this.runner.broadcaster.broadcast('BeforeTransactionStart')]);
    } catch (error) {
      this.scopes.splice(this.scopes.indexOf(scope), 1);
      this.noteDepth();
      await this.database.transactions.rollback(scope);
      throw error;
    }
    await this.runner.broadcaster.broadcast('AfterTransactionStart');
  }

  private requireTransaction(): void {
    if (this.scopes.length === 0) throw new TransactionNotStartedError();
  }

  private takeScope(): TransactionScope {
    this.requireTransaction();
    const scope = this.scopes.pop() as TransactionScope;
    this.noteDepth();
    return scope;
  }

  private noteDepth(): void {
    this.runner.transactionDepth = this.scopes.length;
    this.runner.isTransactionActive = this.scopes.length > 0;
  }
}
