import type { PoolClient } from 'pg';
import { ConflictError } from '../../kernel/errors/conflict.error.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { EndTurn } from '../../kernel/turn-queue.js';
import { unlessAborted } from '../../kernel/unless-aborted.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { TransactionConnection } from '../dialect.js';
import type { TransactionOptions } from '../transaction-options.js';
import { DEFINITIONS_LOCK_KEY, DefinitionsLock, type Exclusion } from './definitions-lock.js';
import { JointCommits } from './joint-commits.js';
import { DEFINITIONS_VERSION, type KnownDefinitions } from './known-definitions.js';
import { LateTransaction } from './late-transaction.js';
import type { LongWork } from './long-work.js';
import type { PostgresPool } from './postgres-pool.js';
import { type PostgresResult, runOn } from './postgres-statement.js';
import { PostgresTransaction, type Start } from './postgres-transaction.js';
import type { StatementNames } from './statement-names.js';

/** What the server says when a transaction begins. */
interface Beginning {
  readonly pid: number;
  readonly version?: string;
}

/** What is known of a transaction that has a connection. */
interface BegunTransaction {
  readonly options: TransactionOptions;
  /** Its place among those that take long. */
  readonly place?: EndTurn;
  readonly process?: number;
  readonly exclusion?: Exclusion;
  readonly start?: Start;
}

/**
 * Begins transactions. Definitions change only when nobody writes by the old ones: every transaction holds a lock that
 * one which changes them has for itself.
 */
export class TransactionStarter {
  /** Where other processes serve the same data. */
  definitions?: KnownDefinitions;
  private readonly lock = new DefinitionsLock();
  private readonly jointCommits: JointCommits;

  constructor(
    private readonly pool: PostgresPool,
    private readonly names: StatementNames,
    private readonly longWork: LongWork,
  ) {
    this.jointCommits = new JointCommits({
      connect: () => pool.connect(),
      definitions: this.lock,
      names,
      wrote: () => pool.committed(),
    });
  }

  begin(options: TransactionOptions): MaybePromise<TransactionConnection> {
    if (options.isLong) return this.beginInPlace(options);
    // Whether others have changed them is known when the server has been asked.
    if (options.exclusive || this.definitions || this.pool.isBehindPooler) return this.beginNow(options);
    const { isFree, changes } = this.lock;
    if (!options.late || options.deadline || !isFree) return this.beginLater(options);
    return new LateTransaction(
      (deferred) => this.beginLater(options, { deferred, changes }),
      (statement) => this.jointCommits.commit(statement, changes),
    );
  }

  /** Of rows that change meanwhile it has the old ones, whoever holds whatever locks; tables that change break it. */
  async beginSnapshot(): Promise<TransactionConnection> {
    const client = await this.pool.connect();
    let process: number;
    const snapshot = new PostgresTransaction(client, undefined, {
      giveBack: (isBroken) => client.release(isBroken),
      cancel: () => this.pool.cancel(process),
      watch: (run) => run(),
      wrote: () => undefined,
      becomeExclusive: (lock) => lock(),
    });
    try {
      await snapshot.execute({
        sql: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;${this.pool.limits}`,
        params: [],
      });
      // The moment it shows is that of the first statement.
      const { rows } = await snapshot.execute<{ pid: number }>({ sql: 'SELECT pg_backend_pid() AS pid', params: [] });
      process = rows[0]!.pid;
      return snapshot;
    } catch (error) {
      await snapshot.rollback();
      throw error;
    }
  }

  /** Waits for a place without a connection. */
  private async beginInPlace(options: TransactionOptions): Promise<PostgresTransaction> {
    const place = await this.longWork.place(options.deadline);
    try {
      if (options.exclusive || this.definitions || this.pool.isBehindPooler) return await this.beginNow(options, place);
      return await this.beginLater(options, { place });
    } catch (error) {
      place();
      throw error;
    }
  }

  private async beginNow(options: TransactionOptions, place?: EndTurn): Promise<PostgresTransaction> {
    for (;;) {
      const transaction = await this.tryBegin(options, place);
      if (transaction) return transaction;
    }
  }

  /** Nothing is asked of the server yet: the beginning goes along with the first statement. */
  private async beginLater(
    options: TransactionOptions,
    { place, ...done }: { readonly place?: EndTurn; readonly deferred?: CompiledSql[]; readonly changes?: number } = {},
  ): Promise<PostgresTransaction> {
    const { deadline } = options;
    const client = await this.pool.connect(deadline);
    const begins = await this.lock.share();
    try {
      deadline?.throwIfAborted();
      if (done.changes !== undefined && done.changes !== this.lock.changes)
        throw new DatabaseError('busy', 'Definitions have changed meanwhile.', {}, { answer: new ConflictError() });
    } catch (error) {
      begins();
      client.release();
      throw error;
    }
    return this.transactionOn(client, { options, place, start: { begins, deferred: done.deferred } });
  }

  /** Undefined when others had changed definitions or settings. Those have been read then: it is to be tried again. */
  private async tryBegin(options: TransactionOptions, place?: EndTurn): Promise<PostgresTransaction | undefined> {
    const { deadline, exclusive } = options;
    const client = await this.pool.connect(deadline);
    const { definitions, lock } = this;
    const exclusion = exclusive ? lock.exclude() : undefined;
    let process: number;
    let newer: string | undefined;
    try {
      await exclusion?.othersHaveBegun();
      const { pid, version } = await this.sendBeginning(client, options);
      process = pid;
      if (version !== undefined && !definitions!.are(version)) newer = version;
      if (newer !== undefined) await runOn(client, { sql: 'ROLLBACK', params: [] });
      else {
        await (exclusion ? exclusion.take() : lock.whenTaken());
        deadline?.throwIfAborted();
      }
    } catch (error) {
      exclusion?.end();
      client.release(true);
      throw error;
    }
    if (newer === undefined) return this.transactionOn(client, { options, place, process, exclusion });
    exclusion?.end();
    client.release();
    await definitions!.follow(newer);
    return undefined;
  }

  /** Gives the server's process and, where others may change them, the version of the definitions. */
  private async sendBeginning(client: PoolClient, { deadline, exclusive }: TransactionOptions): Promise<Beginning> {
    const lock = exclusive ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    const begin = `BEGIN;${this.pool.limits} SELECT pg_backend_pid() AS pid, ${lock}(${DEFINITIONS_LOCK_KEY})`;
    // Nobody changes definitions once the lock is held, so that it has to be a statement after that.
    const look = this.definitions ? `; SELECT pg_backend_pid() AS pid, (${DEFINITIONS_VERSION}) AS version` : '';
    const send = (): Promise<PostgresResult<Beginning>> => runOn<Beginning>(client, { sql: begin + look, params: [] });
    const { rows } = await (deadline ? unlessAborted(send, deadline) : send());
    return rows[0]!;
  }

  private transactionOn(
    client: PoolClient,
    { options, place, process = processOf(client), exclusion, start }: BegunTransaction,
  ): PostgresTransaction {
    let alone = exclusion;
    // One that is alone has waited for all others to end.
    const mayBeStopped = (): boolean => !alone && (options.mayBeginAgain?.() ?? false);
    const held = this.longWork.hold({ process, place, mayBeStopped });
    return new PostgresTransaction(
      client,
      // Definitions change in between, and behind a pooler every transaction may have another session.
      alone || this.pool.isBehindPooler ? undefined : this.names,
      {
        giveBack: (isBroken) => {
          if (alone) this.names.forget();
          const isBeingStopped = held.end();
          client.release(isBroken || isBeingStopped || this.names.areOutdated(client));
          alone?.end();
        },
        cancel: () => this.pool.cancel(process),
        watch: (run, isTooLate) => held.watch(run, isTooLate),
        wrote: () => this.pool.committed(),
        becomeExclusive: async (lock) => {
          if (alone) return;
          alone = this.lock.exclude();
          await alone.othersHaveBegun();
          await lock();
          await alone.take();
        },
      },
      start,
    );
  }
}

/** The process of the server behind a connection that leads to the database itself. */
export function processOf(client: PoolClient): number {
  return (client as unknown as { readonly processID: number }).processID;
}
