import type { PoolClient } from 'pg';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult, TransactionConnection } from '../dialect.js';
import { endsConnection, givesUpConnection, isOutdatedPlan } from './postgres-errors.js';
import { type PostgresResult, runOn, sendTogether } from './postgres-statement.js';
import type { StatementNames } from './statement-names.js';

/** Stands for the definitions of collections; any number does that nobody else uses. */
export const DEFINITIONS = 5_266_120_914;

/** What a transaction needs of those who began it. */
interface Dependencies {
  /** How its connection goes back to the others: as it is, or to be closed because nobody knows its state. */
  readonly giveBack: (isBroken: boolean) => void;
  /** Stops what runs on the connection at this moment. */
  readonly cancel: () => Promise<void>;
  /** Others have to hear that something was committed. */
  readonly wrote: () => void;
  /** Takes the lock on definitions when no others are about to begin. */
  readonly becomeExclusive: (lock: () => Promise<void>) => Promise<void>;
}

/** What is still to be sent before the first statement. */
interface Start {
  readonly beginning?: CompiledSql;
  /** To be called when it has been sent, or never will be. */
  readonly begins?: () => void;
}

/** The open transaction on one connection of the pool. */
export class PostgresTransaction implements TransactionConnection {
  private alive = true;
  private over = false;
  private running = 0;
  private hasWritten = false;
  private isOutdated = false;
  /** What is sent with the next statement. */
  private put: CompiledSql[] = [];
  /** Why the transaction cannot be committed, whatever its code made of that. */
  private failure?: { readonly reason: unknown };

  constructor(
    private readonly client: PoolClient,
    private names: StatementNames | undefined,
    private readonly around: Dependencies,
    private start: Start = {},
  ) {}

  get isAlive(): boolean {
    return this.alive && !this.over;
  }

  get isBrokenByFailure(): boolean {
    return true;
  }

  async execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    this.requireAlive();
    this.running++;
    try {
      const result = await this.send<Row>(statement);
      this.hasWritten ||= !QUIET.has(result.command);
      return result;
    } catch (error) {
      if (endsConnection(error)) this.alive = false;
      this.isOutdated ||= givesUpConnection(error);
      if (isOutdatedPlan(error)) this.names?.forget();
      throw error;
    } finally {
      this.running--;
    }
  }

  putOff(statement: CompiledSql): void {
    this.requireAlive();
    this.put.push(statement);
    this.hasWritten = true;
  }

  async lock(name: string): Promise<void> {
    await this.execute({ sql: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', params: [name] });
  }

  async becomeExclusive(): Promise<void> {
    this.names = undefined;
    // What it has read so far may be what others are about to change.
    if (this.start.beginning) await this.execute({ sql: 'SELECT', params: [] });
    await this.around.becomeExclusive(async () => {
      await this.execute({ sql: `SELECT pg_advisory_xact_lock(${DEFINITIONS})`, params: [] });
    });
  }

  /** The server cuts it off; then only what it did is undone, the limit included. */
  async readWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    const run = (sql: string): Promise<unknown> => this.execute({ sql, params: [] });
    await run(`SAVEPOINT budget; SET LOCAL statement_timeout = ${BUDGET}`);
    try {
      return (await this.execute<Row>(statement)).rows;
    } catch (error) {
      if (error instanceof BadRequestError) return undefined;
      throw error;
    } finally {
      if (this.alive) await run('ROLLBACK TO budget; RELEASE budget');
    }
  }

  /** The server answers the commit of a transaction in which a statement has failed with success, and rolls back. */
  async commit(committed: () => void): Promise<void> {
    this.requireAlive();
    this.over = true;
    if (this.start.beginning && this.put.length === 0) {
      committed();
      return this.endUnbegun();
    }
    let isBroken = true;
    try {
      const { command } = await this.send(COMMIT).catch((error: unknown) => {
        if (isOutdatedPlan(error)) this.names?.forget();
        isBroken = !this.failure || givesUpConnection(error);
        throw error;
      });
      isBroken = false;
      if (this.failure) throw this.failure.reason;
      if (command !== 'COMMIT') {
        throw new DatabaseError('transactionOver', 'The transaction was rolled back, because a statement had failed.');
      }
      committed();
      if (this.hasWritten) this.around.wrote();
    } finally {
      this.around.giveBack(isBroken);
    }
  }

  async rollback(): Promise<void> {
    if (this.over) return;
    this.over = true;
    if (this.start.beginning) return this.endUnbegun();
    let isBroken = true;
    try {
      if (this.alive && this.running > 0) await this.around.cancel();
      if (this.alive) await runOn(this.client, ROLLBACK);
      isBroken = !this.alive || this.isOutdated;
    } catch {
      // The server rolls back what was open on a connection that is closed.
    } finally {
      this.around.giveBack(isBroken);
    }
  }

  private run<Row>(statement: CompiledSql): Promise<PostgresResult<Row>> {
    return runOn<Row>(this.client, statement, this.names?.of(this.client, statement.sql));
  }

  /**
   * Sends a statement and what is to be run before it. All of that is a part of the transaction or fails: the server runs
   * nothing else in one of which something has failed.
   */
  private send<Row>(statement: CompiledSql): Promise<PostgresResult<Row>> {
    const { beginning, begins } = this.start;
    const { put } = this;
    if (!beginning && put.length === 0) return this.run<Row>(statement);
    this.start = {};
    this.put = [];
    const [before, done] = sendTogether(this.client, () => {
      const first = beginning ? [runOn(this.client, beginning)] : [];
      return [[...first, ...put.map((each) => this.run(each))], this.run<Row>(statement)] as const;
    });
    begins?.();
    return this.outcomeOf(before, done, beginning !== undefined);
  }

  private async outcomeOf<Row>(
    before: readonly Promise<unknown>[],
    done: Promise<PostgresResult<Row>>,
    begins: boolean,
  ): Promise<PostgresResult<Row>> {
    const [last, ...earlier] = await Promise.allSettled([done, ...before]);
    const failed = earlier.findIndex((each) => each.status === 'rejected');
    if (failed >= 0) {
      const { reason } = earlier[failed] as PromiseRejectedResult;
      this.failure = { reason };
      if (failed === 0 && begins) this.alive = false;
      throw reason;
    }
    if (last.status === 'rejected') throw last.reason;
    return last.value;
  }

  /** The server has never heard of it: it ends without it. */
  private endUnbegun(): void {
    this.start.begins?.();
    this.start = {};
    this.around.giveBack(false);
  }

  /** What comes too late would run outside of any transaction, on a connection that others have by now. */
  private requireAlive(): void {
    if (!this.isAlive) throw new DatabaseError('transactionOver', 'The transaction is over.');
  }
}

/** Milliseconds that others may wait for what this transaction holds. */
const BUDGET = 1_000;

/** Commands that change nothing. */
const QUIET: ReadonlySet<string> = new Set(['SELECT', 'SET', 'SAVEPOINT', 'RELEASE', 'ROLLBACK']);

const COMMIT: CompiledSql = { sql: 'COMMIT', params: [] };
const ROLLBACK: CompiledSql = { sql: 'ROLLBACK', params: [] };
