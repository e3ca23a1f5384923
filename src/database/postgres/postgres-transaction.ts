import type { PoolClient } from 'pg';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult, TransactionConnection } from '../dialect.js';
import { DEFINITIONS_LOCK_KEY, LOCK_DEFINITIONS_SHARED } from './definitions-lock.js';
import { isConnectionError, needsOtherConnection, isOutdatedPlan } from './postgres-errors.js';
import { type PostgresResult, requireChange, runOn, sendTogether } from './postgres-statement.js';
import type { StatementNames } from './statement-names.js';

/** What a transaction needs of those who began it. */
interface Dependencies {
  /** How its connection goes back to the others: as it is, or to be closed because nobody knows its state. */
  readonly giveBack: (isBroken: boolean) => void;
  /** Stops what runs on the connection at this moment. */
  readonly cancel: () => Promise<void>;
  /** Runs what may take long, and may have to begin again then. */
  readonly watch: <T>(run: () => Promise<T>, isTooLate?: () => boolean) => Promise<T>;
  /** Others have to hear that something was committed. */
  readonly wrote: () => void;
  /** Takes the lock on definitions when no others are about to begin. */
  readonly becomeExclusive: (lock: () => Promise<void>) => Promise<void>;
}

/**
 * What is still to be told the server before the first statement: that it begins, and takes its share of the lock on
 * definitions.
 */
export interface Start {
  /** To be called when the server has done that, or never will. */
  readonly begins: () => void;
  /** What was deferred already. */
  readonly deferred?: CompiledSql[];
}

/** The open transaction on one connection of the pool. */
export class PostgresTransaction implements TransactionConnection {
  private alive = true;
  private over = false;
  /** Everything that was sent before the commit has been answered. */
  private isCommitting = false;
  private running = 0;
  private hasWritten: boolean;
  private isOutdated = false;
  /** What is sent with the next statement. */
  private deferred: CompiledSql[];
  /** Why the transaction cannot be committed, whatever its code made of that. */
  private failure?: { readonly reason: unknown };

  constructor(
    private readonly client: PoolClient,
    private names: StatementNames | undefined,
    private readonly around: Dependencies,
    /** Absent where the server knows of it. */
    private start?: Start,
  ) {
    this.deferred = start?.deferred ?? [];
    this.hasWritten = this.deferred.some(({ writes }) => writes !== undefined);
  }

  get isAlive(): boolean {
    return this.alive && !this.over;
  }

  get isDoomed(): boolean {
    return this.failure !== undefined;
  }

  get isBrokenByFailure(): boolean {
    return true;
  }

  async execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    this.requireAlive();
    this.running++;
    try {
      const result = await this.around.watch(() => this.send<Row>(statement));
      requireChange(statement, result.changes);
      this.hasWritten ||= !QUIET.has(result.command);
      return result;
    } catch (error) {
      if (isConnectionError(error)) this.alive = false;
      this.isOutdated ||= needsOtherConnection(error);
      if (isOutdatedPlan(error)) this.names?.forget();
      throw error;
    } finally {
      this.running--;
    }
  }

  readonly savepoints = {
    set: (name: string): void => {
      this.requireAlive();
      this.deferred.push({ sql: `SAVEPOINT ${name}`, params: [] });
    },
    release: (name: string): void => {
      this.requireAlive();
      // Nothing was done under it.
      if (this.deferred.at(-1)?.sql === `SAVEPOINT ${name}`) this.deferred.pop();
      else this.deferred.push({ sql: `RELEASE ${name}`, params: [] });
    },
  };

  defer(statement: CompiledSql): void {
    this.requireAlive();
    this.deferred.push(statement);
    this.hasWritten = true;
  }

  async lock(name: string): Promise<void> {
    await this.execute({ sql: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', params: [name] });
  }

  async becomeExclusive(): Promise<void> {
    this.names = undefined;
    // What it has read so far may be what others are about to change.
    if (this.start) await this.execute({ sql: 'SELECT', params: [] });
    await this.around.becomeExclusive(async () => {
      await this.execute({ sql: `SELECT pg_advisory_xact_lock(${DEFINITIONS_LOCK_KEY})`, params: [] });
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
    if (this.start && this.deferred.length === 0) {
      this.over = true;
      committed();
      return this.endUnbegun();
    }
    // A commit that goes along would be one of all the rest, whether or not it changes something.
    if (this.deferred.some(({ isConditional }) => isConditional)) await this.execute(this.deferred.pop()!);
    this.over = true;
    let isBroken = true;
    try {
      await this.runCommit().catch((error: unknown) => {
        if (isOutdatedPlan(error)) this.names?.forget();
        isBroken = !this.failure || needsOtherConnection(error);
        throw error;
      });
      isBroken = false;
      if (this.failure) throw this.failure.reason;
      committed();
      if (this.hasWritten) this.around.wrote();
    } finally {
      this.around.giveBack(isBroken);
    }
  }

  async rollback(): Promise<void> {
    if (this.over) return;
    this.over = true;
    if (this.start) return this.endUnbegun();
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

  private async runCommit(): Promise<void> {
    // Once only the commit is left it is never stopped: one that waits for standbys is done, and would just not wait.
    const { command } = await this.around.watch(
      () => this.send(COMMIT),
      () => this.isCommitting,
    );
    if (command === 'COMMIT' || this.failure) return;
    throw new DatabaseError('transactionOver', 'The transaction was rolled back, because a statement had failed.');
  }

  private run<Row>(statement: CompiledSql): Promise<PostgresResult<Row>> {
    return runOn<Row>(this.client, statement, this.names?.of(this.client, statement.sql));
  }

  /**
   * Sends a statement and what is to be run before it. All of that is a part of the transaction or fails: the server
   * runs nothing else in one of which something has failed.
   */
  private send<Row>(statement: CompiledSql): Promise<PostgresResult<Row>> {
    const { deferred, start } = this;
    if (!start && deferred.length === 0) {
      this.isCommitting = statement === COMMIT;
      return this.run<Row>(statement);
    }
    this.deferred = [];
    this.start = undefined;
    const [before, done] = sendTogether(this.client, () => {
      const first = start ? [BEGIN, LOCK_DEFINITIONS_SHARED] : [];
      return [[...first, ...deferred].map((each) => this.run(each)), this.run<Row>(statement)] as const;
    });
    if (statement === COMMIT) void Promise.allSettled(before).then(() => (this.isCommitting = true));
    // What has only been sent may come second to a transaction that changes definitions.
    if (start) before[1]!.then(start.begins, start.begins);
    return this.outcomeOf(before, done, start !== undefined);
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
      if (failed < 2 && begins) this.alive = false;
      throw reason;
    }
    if (last.status === 'rejected') throw last.reason;
    return last.value;
  }

  /** The server has never heard of it: it ends without it. */
  private endUnbegun(): void {
    this.endStart();
    this.around.giveBack(false);
  }

  private endStart(): void {
    this.start?.begins();
    this.start = undefined;
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

const BEGIN: CompiledSql = { sql: 'BEGIN', params: [] };
const COMMIT: CompiledSql = { sql: 'COMMIT', params: [] };
const ROLLBACK: CompiledSql = { sql: 'ROLLBACK', params: [] };
