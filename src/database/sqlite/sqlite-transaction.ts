import { andThen, andFinally, type MaybePromise, andCatch } from '../../kernel/maybe-promise.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult, TransactionConnection } from '../dialect.js';
import { CostEstimator } from './cost-estimator.js';
import type { SqliteConnection } from './sqlite-driver.js';
import { changesSchema } from './sqlite-text.js';

const COMMIT: CompiledSql = { sql: 'COMMIT', params: [] };
const ROLLBACK: CompiledSql = { sql: 'ROLLBACK', params: [] };

/** What a transaction tells those around it. */
export interface TransactionEvents {
  /** Before the commit is asked for; a throw refuses it. */
  committing?(): MaybePromise<unknown>;
  /** The plans of other statements may be out of date. */
  schemaChanged(): void;
  /** A statement has changed so many rows. */
  written(statement: CompiledSql, rows: number): void;
  /**
   * Called when the commit has succeeded or failed, in the turn of the event loop in which its caller continues. Must
   * not throw.
   */
  committed?(): void;
  /** It is over, one way or the other. */
  ended(): void;
}

/** Visiting so many rows takes some tenths of a second. */
const MOST_VISITS = 1_000_000;

/** The open transaction on the writing connection, and the writer's turn, which ends with it. */
export class SqliteTransaction implements TransactionConnection {
  private alive = true;
  private over = false;
  private schemaChanged = false;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly events: TransactionEvents,
  ) {}

  get isBrokenByFailure(): boolean {
    return false;
  }

  get isAlive(): boolean {
    return this.alive && !this.over;
  }

  execute<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    // A late statement would run outside of any transaction and commit by itself.
    if (!this.isAlive) throw new DatabaseError('transactionOver', 'The transaction is over.');
    this.schemaChanged ||= changesSchema(statement.sql);
    try {
      const result = this.connection.execute<Row>(statement);
      if (!(result instanceof Promise)) return this.note(statement, result);
      return result.then(
        (given) => this.note(statement, given),
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      return this.fail(error);
    }
  }

  /** Runs on this thread, where nothing can be cut off, so the cost is estimated first. */
  async readWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    if (!this.isAlive) throw new DatabaseError('transactionOver', 'The transaction is over.');
    const { visits } = await new CostEstimator(this.connection).of(statement);
    return visits <= MOST_VISITS ? (await this.execute<Row>(statement)).rows : undefined;
  }

  commit(committed: () => void): MaybePromise<void> {
    if (!this.isAlive) throw new DatabaseError('transactionOver', 'The transaction is over.');
    this.over = true;
    const commit = (): MaybePromise<void> =>
      andThen(this.execCommit(), () => {
        if (this.schemaChanged) this.events.schemaChanged();
        committed();
      });
    return andFinally(
      () => andCatch(commit, (error) => this.failCommit(error)),
      () => this.events.ended(),
    );
  }

  async rollback(): Promise<void> {
    if (this.over) return;
    this.over = true;
    try {
      if (await this.connection.inTransaction()) await this.connection.execute(ROLLBACK);
    } finally {
      this.events.ended();
    }
  }

  private note<Row>(statement: CompiledSql, result: StatementResult<Row>): StatementResult<Row> {
    if (result.changes > 0) this.events.written(statement, result.changes);
    return result;
  }

  /** A full disk or an I/O error makes SQLite roll back on its own. */
  private async fail(error: unknown): Promise<never> {
    if (!this.over) this.alive = await this.connection.inTransaction();
    throw error;
  }

  private execCommit(): MaybePromise<unknown> {
    return andFinally(
      () => andThen(this.events.committing?.(), () => this.connection.execute(COMMIT)),
      () => this.events.committed?.(),
    );
  }

  private async failCommit(error: unknown): Promise<never> {
    if (await this.connection.inTransaction()) await this.connection.execute(ROLLBACK);
    throw error;
  }
}
