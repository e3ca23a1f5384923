import { ServiceUnavailableError } from '../../kernel/errors/service-unavailable.error.js';
import { andThen, andFinally, type MaybePromise, andCatch } from '../../kernel/maybe-promise.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult, TransactionConnection } from '../dialect.js';
import { type EndTurn, type SharedTurns, TurnQueue, type Turns } from '../../kernel/turn-queue.js';
import { LoopRound } from '../../http/event-loop/loop-round.js';
import { BUSY_TIMEOUT } from './prepare-database.js';
import type { SqliteConnection } from './sqlite-driver.js';
import { changesSchema } from './sqlite-text.js';
import { SqliteTransaction, type TransactionEvents } from './sqlite-transaction.js';

const BEGIN: CompiledSql = { sql: 'BEGIN IMMEDIATE', params: [] };
const DATA_VERSION: CompiledSql = { sql: 'PRAGMA data_version', params: [] };
const CHECKPOINT: CompiledSql = { sql: 'PRAGMA wal_checkpoint(TRUNCATE)', params: [] };

/** The Retry-After in seconds when another program blocks the file. */
const RETRY_AFTER = 5;
const FIRST_RETRY = 2;
const LONGEST_RETRY = 50;

/** Milliseconds that transactions may take in one round of the event loop before others get in. */
const ROUND = 5;

/** What a writer tells others: that it has committed, and what makes their plans or what they have read out of date. */
export interface WriterEvents extends Pick<TransactionEvents, 'committed'> {
  schemaChanged(): void;
  /** A statement has changed so many rows, though perhaps not for good yet. */
  written(statement: CompiledSql, rows: number): void;
  /** What has been written is committed, or undone. */
  settled(): void;
  /** Another process has committed. The next writer waits until this resolves. */
  foreignCommit(): Promise<void>;
}

/** A connection for the time of one transaction, and what has to happen around its commit. */
export interface DedicatedConnection extends Pick<TransactionEvents, 'committing' | 'committed'> {
  readonly connection: SqliteConnection;
  /** The next writer waits for it. */
  release(): Promise<void>;
}

/** Gives undefined when there is none. */
export type AcquireConnection = (signal?: AbortSignal) => Promise<DedicatedConnection | undefined>;

/**
 * The one connection of this process that writes to a file. Writes take turns; while another process has locked the
 * file it is tried again without blocking the thread, up to the busy timeout, and then answered with a 503.
 */
export class SqliteWriter {
  private readonly turns: Turns;
  private readonly tryAcquireLocal: () => EndTurn | undefined;
  private readonly round = new LoopRound(ROUND);
  private dataVersion?: number;
  private comparing?: Promise<void>;
  /** A transaction of this process is open and has compared, so that nobody else can commit; or this is closed. */
  private isUpToDate = false;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly events: WriterEvents,
    /** Where other processes write to the file, too, and all of them take turns. */
    shared?: SharedTurns,
  ) {
    const turns = shared ?? new TurnQueue();
    this.turns = turns;
    this.tryAcquireLocal = shared ? () => shared.tryAcquireLocal() : () => turns.tryAcquire();
  }

  async write<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    const endTurn = this.turns.tryAcquire() ?? (await this.turns.acquire());
    try {
      const result = await this.retryWhileBusy(() => this.connection.execute<Row>(statement));
      if (changesSchema(statement.sql)) this.events.schemaChanged();
      if (result.changes > 0) this.events.written(statement, result.changes);
      this.events.committed?.();
      this.events.settled();
      return result;
    } finally {
      endTurn();
    }
  }

  /**
   * Begins a transaction when its turn comes, on a dedicated connection if there is one. Nobody else can commit from
   * then on, so commits of other processes until then are announced before its first statement.
   */
  begin(signal?: AbortSignal, acquire?: AcquireConnection): MaybePromise<TransactionConnection> {
    const transaction = acquire ? undefined : this.beginNow(signal);
    return transaction ? this.upToDate(transaction) : this.beginInTurn(signal, acquire);
  }

  /** Holds the turn while another process writes for this one. */
  async whileIdle<T>(work: () => Promise<T>): Promise<T> {
    const endTurn = await this.turns.acquire();
    try {
      const result = await work();
      await this.compareDataVersion();
      return result;
    } finally {
      endTurn();
    }
  }

  /** Announces commits of other processes. An open transaction has announced them when it began. */
  async lookForForeignCommits(): Promise<void> {
    await this.catchUp();
  }

  /** As `lookForForeignCommits`, without a promise where nothing is to be told. */
  catchUp(): MaybePromise<void> {
    if (this.comparing) return this.comparing;
    const endTurn = this.tryAcquireLocal();
    // Who has the turn may wait for something before it begins: until it has compared, it knows no more than others.
    if (!endTurn && this.isUpToDate) return undefined;
    return andFinally(
      () => this.compareDataVersion(),
      () => endTurn?.(),
    );
  }

  /**
   * Ends the connection when the last writer is done and this is, with the journal moved into the file. Where that
   * fails, on a full disk say, the journal stays beside the file, and whoever opens it next reads both.
   */
  async close(before: () => Promise<void>): Promise<void> {
    const endTurn = await this.turns.acquire();
    this.isUpToDate = true;
    try {
      await before();
      await this.moveJournal().catch(() => undefined);
    } finally {
      await this.connection.close();
      endTurn();
    }
  }

  private async moveJournal(): Promise<void> {
    await this.connection.execute(CHECKPOINT);
  }

  /** Undefined where it would have to wait for other writers, another process, or the driver, or has to let others in. */
  private beginNow(signal?: AbortSignal): SqliteTransaction | undefined {
    if (!this.connection.version || !this.round.mayBegin()) return undefined;
    const endTurn = this.turns.tryAcquire(signal);
    if (!endTurn) return undefined;
    try {
      void this.connection.execute(BEGIN);
    } catch (error) {
      endTurn();
      if (isBusy(error)) return undefined;
      throw error;
    }
    return this.transactionOn(this.connection, endTurn);
  }

  private async beginInTurn(signal?: AbortSignal, acquire?: AcquireConnection): Promise<TransactionConnection> {
    const endTurn = this.turns.tryAcquire(signal) ?? (await this.turns.acquire(signal));
    // Transactions that wait for nothing but each other would otherwise run one after another without a break.
    if (!this.round.mayBegin()) await this.round.next();
    let dedicated: DedicatedConnection | undefined;
    const ended = (): void => {
      if (dedicated) void dedicated.release().finally(endTurn);
      else endTurn();
    };
    try {
      dedicated = await acquire?.(signal);
      const connection = dedicated?.connection ?? this.connection;
      await this.retryWhileBusy(() => connection.execute(BEGIN), signal);
    } catch (error) {
      ended();
      throw error;
    }
    return this.upToDate(this.transactionOn(dedicated?.connection ?? this.connection, ended, dedicated));
  }

  private transactionOn(
    connection: SqliteConnection,
    ended: () => void,
    dedicated?: DedicatedConnection,
  ): SqliteTransaction {
    return new SqliteTransaction(connection, {
      ...(dedicated ?? { committed: this.events.committed }),
      schemaChanged: () => this.events.schemaChanged(),
      written: (statement, rows) => this.events.written(statement, rows),
      ended: () => {
        this.isUpToDate = false;
        this.events.settled();
        ended();
      },
    });
  }

  private upToDate(transaction: SqliteTransaction): MaybePromise<SqliteTransaction> {
    this.isUpToDate = true;
    return andCatch(
      () => andThen(this.compareDataVersion(), () => transaction),
      async (error) => {
        await transaction.rollback();
        throw error;
      },
    );
  }

  /** Announces a commit of another process, and waits until those that were seen before are announced. */
  private compareDataVersion(): MaybePromise<void> {
    const earlier = this.comparing;
    const looking = andThen(this.readDataVersion(), (version) => this.compare(version));
    if (!(looking instanceof Promise)) return earlier;
    const both = Promise.all([earlier, looking]).then(() => undefined);
    const comparing = both.finally(() => {
      if (this.comparing === comparing) this.comparing = undefined;
    });
    this.comparing = comparing;
    return comparing;
  }

  private readDataVersion(): MaybePromise<number> {
    if (this.connection.version) return this.connection.version();
    return andThen(this.connection.all<{ data_version: number }>(DATA_VERSION), ([row]) => row!.data_version);
  }

  /** The number differs from the one before when another connection has committed in between. */
  private compare(version: number): MaybePromise<void> {
    const before = this.dataVersion;
    this.dataVersion = version;
    if (before !== undefined && before !== version) return this.events.foreignCommit();
  }

  private async retryWhileBusy<T>(work: () => MaybePromise<T>, signal?: AbortSignal): Promise<T> {
    const since = performance.now();
    for (let pause = FIRST_RETRY; ; pause = Math.min(pause * 2, LONGEST_RETRY)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() - since > BUSY_TIMEOUT) {
          throw new ServiceUnavailableError('Another program is writing to the database.', RETRY_AFTER, {
            cause: error,
          });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      signal?.throwIfAborted();
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'busy';
}
