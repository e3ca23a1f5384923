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
interface Surroundings {
  /** How its connection goes back to the others: as it is, or to be closed because nobody knows its state. */
  readonly giveBack: (isBroken: boolean) => void;
  /** Stops what runs on the connection at this moment. */
  readonly cancel: () => Promise<void>;
  /** Others have to hear that something was committed. */
  readonly wrote: () => void;
  /** Takes the lock on definitions when no others are about to begin. */
  readonly beAlone: (lock: () => Promise<void>) => Promise<void>;
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

  constructor(
    private readonly client: PoolClient,
    private names: StatementNames | undefined,
    private readonly around: Surroundings,
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
      const result = await (this.start.beginning ? this.begin<Row>(this.start, statement) : this.run<Row>(statement));
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

  async hold(name: string): Promise<void> {
    await this.execute({ sql: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', params: [name] });
  }

  async beAlone(): Promise<void> {
    this.names = undefined;
    // What it has read so far may be what others are about to change.
    if (this.start.beginning) await this.execute({ sql: 'SELECT', params: [] });
    await this.around.beAlone(async () => {
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
    if (this.start.beginning) committed();
    if (this.endUnbegun()) return;
    let isBroken = true;
    try {
      const { command } = await runOn(this.client, COMMIT);
      isBroken = false;
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
    if (this.endUnbegun()) return;
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

  /** What the first statement does is a part of the transaction or fails: it comes after the beginning, whatever becomes of that. */
  private async begin<Row>({ beginning, begins }: Start, first: CompiledSql): Promise<PostgresResult<Row>> {
    this.start = {};
    const sent = sendTogether(this.client, () => [runOn(this.client, beginning!), this.run<Row>(first)] as const);
    begins?.();
    const [begun, done] = await Promise.allSettled(sent);
    if (begun.status === 'rejected') {
      this.alive = false;
      throw begun.reason;
    }
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  }

  /** Whether the server has never heard of it: then it ends without it. */
  private endUnbegun(): boolean {
    const { beginning, begins } = this.start;
    if (!beginning) return false;
    this.start = {};
    begins?.();
    this.around.giveBack(false);
    return true;
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
