import { ConflictError } from '../kernel/errors/conflict.error.js';
import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';
import { andThen, forEachSeries, andFinally, type MaybePromise, andCatch } from '../kernel/maybe-promise.js';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseError } from './database.error.js';
import type { StatementResult, TransactionConnection } from './dialect.js';
import type { PrefetchedAnswers } from './prefetched-answers.js';
import { TurnQueue, type EndTurn } from '../kernel/turn-queue.js';

/** Thrown when a transaction has to begin again as an exclusive one. */
export class ExclusiveNeeded extends DatabaseError {
  constructor() {
    super('busy', 'The transaction has to begin alone.', {}, { answer: new ConflictError() });
  }
}

/** Thrown when a transaction that takes long has to begin again in one of the places for such (`isLong`). */
export class PlaceNeeded extends DatabaseError {
  constructor(options?: ErrorOptions) {
    const answer = new ServiceUnavailableError('The database is busy at the moment.', RETRY_AFTER, options);
    super('busy', 'What takes long has to wait for its turn.', {}, { ...options, answer });
  }
}

/** Seconds. */
const RETRY_AFTER = 2;

/** The temporary failure behind an error, if there is one. */
export function faultOf(error: unknown): DatabaseError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseError && cause.isFault) return cause;
  }
  return undefined;
}

/** Work to be done once a transaction is committed or rolled back. */
export type AfterWork = () => void | Promise<void>;

/** Called right before a commit is sent; the function it returns is called once the commit has succeeded or failed. */
export type CommitWatch = () => () => void;

/** The result of a commit. `tables` is undefined when it is unknown which ones were written. */
export interface CommittedWork {
  readonly wrote: boolean;
  readonly tables: ReadonlySet<string> | undefined;
  /** To be run at the moment of the commit, before the next writer begins. */
  readonly onCommit: readonly (() => void)[];
}

/**
 * One unit of work. The outermost scope is the transaction; an inner scope joins it: its work is committed with the
 * outermost one, and rolled back alone when it fails and its caller carries on.
 *
 * Inner scopes of one scope, and its own writing statements, run one after another, because the savepoints behind them
 * are a stack.
 */
export class TransactionScope {
  private state: 'waiting' | 'open' | 'committed' | 'rolledBack' | 'failed' = 'waiting';
  private failure: unknown;
  private connection?: TransactionConnection;
  private endTurn?: EndTurn;
  private savepoint?: string;
  private wrote = false;
  private tables: Set<string> | undefined = new Set();
  private readonly inner = new TurnQueue();
  private readonly commitWatches: CommitWatch[] = [];
  private readonly beforeCommitWork: (() => MaybePromise<void>)[] = [];
  private readonly onCommitWork: (() => void)[] = [];
  private readonly afterCommitWork: AfterWork[] = [];
  private readonly afterRollbackWork: AfterWork[] = [];

  constructor(
    readonly parent?: TransactionScope,
    /** Answers found before it began; present as long as it may be rolled back and begin again for others. */
    public prefetched?: PrefetchedAnswers,
    /** Whether the unit of work is repeated after a conflict. */
    private readonly isRepeatable = false,
    /** No other transaction is open beside it. */
    readonly isExclusive = false,
  ) {}

  /** It has ended normally, so its remaining code may go on outside of it. Code of a failed scope may not. */
  get isOver(): boolean {
    return this.state === 'committed' || this.state === 'rolledBack';
  }

  /** Whether it, or a scope around it, was rolled back. */
  get hasFailed(): boolean {
    return this.state === 'failed' || (this.parent?.hasFailed ?? false);
  }

  /** The outermost scope around this one: the transaction itself. */
  get root(): TransactionScope {
    return this.parent?.root ?? this;
  }

  /** Whether this is the given scope or one inside it. */
  isWithin(other: TransactionScope): boolean {
    return this === other || (this.parent?.isWithin(other) ?? false);
  }

  /** Whether a failed statement would break the whole transaction, because there is no savepoint. */
  get needsSavepoint(): boolean {
    return this.connection?.isBrokenByFailure ?? false;
  }

  /** Begins it: the transaction with `connect`, a scope inside another one when its turn there comes. */
  begin(connect: () => MaybePromise<TransactionConnection>, signal?: AbortSignal): MaybePromise<void> {
    return andCatch(
      () =>
        andThen(this.parent ? this.join(this.parent, signal) : connect(), (connection) => {
          this.open(connection);
          if (this.needsSavepoint) return this.setSavepoint();
        }),
      (error) => {
        this.end('failed', error);
        throw error;
      },
    );
  }

  /** Rows as this unit of work sees them, its own changes included. */
  read<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    return andThen(this.requireOpen().execute<Row>(statement), ({ rows }) => rows);
  }

  /** As `read`, unless the statement might go on for long. */
  async readWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    return this.requireOpen().readWithinBudget<Row>(statement);
  }

  /** As in Database. */
  lock(name: string): MaybePromise<void> {
    return this.requireOpen().lock?.(name);
  }

  /**
   * Makes the transaction exclusive. One that did not begin so begins again when it can, because two that wait for each
   * other to end would be a deadlock.
   */
  becomeExclusive(): MaybePromise<void> {
    const { connection } = this.root;
    if (!connection?.becomeExclusive || this.root.isExclusive) return;
    if (this.canBeginAgain) throw new ExclusiveNeeded();
    return connection.becomeExclusive();
  }

  /** Whether it can begin again, because nothing outside of the database depends on it and its caller repeats it. */
  get canBeginAgain(): boolean {
    if (this.afterRollbackWork.length > 0) return false;
    return this.parent ? this.parent.canBeginAgain : this.isRepeatable && this.needsSavepoint;
  }

  write<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    return andThen(this.inner.tryAcquire() ?? this.inner.acquire(), (endTurn) =>
      andFinally(() => andThen(this.setSavepoint(), () => this.perform<Row>(statement)), endTurn),
    );
  }

  /**
   * As `write`, for the last statement of a transaction, whose failure may come out at its end. One that is part of
   * another is not the last.
   */
  writeLast(statement: CompiledSql): MaybePromise<void> {
    if (this.parent || !this.connection?.defer) return andThen(this.write(statement), () => undefined);
    return andThen(this.inner.tryAcquire() ?? this.inner.acquire(), (endTurn) =>
      andFinally(() => {
        const connection = this.requireOpen();
        this.noteWrite(statement.writes);
        connection.defer!(statement);
      }, endTurn),
    );
  }

  /** Whether this unit of work, or what it is part of, has written the table; true when that is not known. */
  mayHaveWritten(table: string): boolean {
    const here = this.wrote && (this.tables?.has(table) ?? true);
    return here || (this.parent?.mayHaveWritten(table) ?? false);
  }

  /** Whether it is a whole transaction that needs nothing more than its commit. */
  get hasOnlyToCommit(): boolean {
    return this.parent === undefined && this.beforeCommitWork.length === 0;
  }

  /** Whether this unit of work, or what it is part of, has written anything. */
  get hasWritten(): boolean {
    return this.wrote || (this.parent?.hasWritten ?? false);
  }

  aroundCommit(watch: CommitWatch): void {
    this.commitWatches.push(watch);
  }

  beforeCommit(work: () => MaybePromise<void>): void {
    this.beforeCommitWork.push(work);
  }

  onCommit(work: () => void): void {
    this.onCommitWork.push(work);
  }

  get lastOnCommit(): (() => void) | undefined {
    return this.onCommitWork.at(-1);
  }

  afterCommit(work: AfterWork): void {
    this.afterCommitWork.push(work);
  }

  /** Hands over what has been left for after the commit so far. */
  takeAfterCommitWork(): readonly AfterWork[] {
    return this.afterCommitWork.splice(0);
  }

  afterRollback(work: AfterWork): void {
    this.afterRollbackWork.push(work);
  }

  /**
   * Commits; an aborted signal refuses that until the last moment. `committed` is called between the commit and the
   * next writer's turn. Returns the work that is due now: all of it for the outermost scope, none for others.
   */
  commit(committed: (work: CommittedWork) => void, signal?: AbortSignal): MaybePromise<readonly AfterWork[]> {
    return andThen(this.lastStatements(), () => {
      const turn = this.inner.tryAcquire(signal) ?? this.inner.acquire(signal);
      return andThen(turn, (endInner) => andFinally(() => this.finish(committed), endInner));
    });
  }

  /**
   * Rolls back at once, whatever its code is doing. Returns the work that is due now. After a failure it refuses every
   * further statement of its code; otherwise those go on outside of it.
   */
  async rollback(failure?: { readonly reason: unknown }): Promise<readonly AfterWork[]> {
    if (this.isOver) return [];
    const connection = this.connection;
    const canUndo = connection?.isAlive === true && !connection.isDoomed && (this.parent?.isOpen ?? true);
    const endTurn = this.endTurn;
    this.endTurn = undefined;
    this.end(failure ? 'failed' : 'rolledBack', failure?.reason);
    try {
      if (connection === undefined) return this.afterRollbackWork;
      if (this.parent === undefined) await connection.rollback();
      else if (canUndo && this.savepoint !== undefined) await undo(connection, this.savepoint);
    } finally {
      endTurn?.();
    }
    return this.afterRollbackWork;
  }

  /** Work of the whole transaction, once it is certain that all of it will be committed. */
  private lastStatements(): MaybePromise<void> {
    if (this.parent || this.beforeCommitWork.length === 0) return undefined;
    const works = forEachSeries(this.beforeCommitWork.splice(0), (work) => work());
    // They may have registered more work for the end.
    return andThen(works, () => this.lastStatements());
  }

  private join(parent: TransactionScope, signal?: AbortSignal): MaybePromise<TransactionConnection> {
    return andThen(parent.inner.tryAcquire(signal) ?? parent.inner.acquire(signal), (endTurn) => {
      this.endTurn = endTurn;
      return parent.requireOpen();
    });
  }

  private open(connection: TransactionConnection): void {
    this.connection = connection;
    this.state = 'open';
  }

  private finish(committed: (work: CommittedWork) => void): MaybePromise<readonly AfterWork[]> {
    const connection = this.requireOpen();
    if (this.parent !== undefined) return andThen(this.mergeInto(this.parent), () => []);
    const ends = this.commitWatches.map((watch) => watch());
    const commit = (): MaybePromise<void> =>
      connection.commit(() => {
        this.end('committed');
        committed({ wrote: this.wrote, tables: this.tables, onCommit: this.onCommitWork });
      });
    const committing = andFinally(commit, () => {
      for (const end of ends) end();
    });
    return andThen(committing, () => this.afterCommitWork);
  }

  private get isOpen(): boolean {
    return this.state === 'open' && (this.parent?.isOpen ?? true);
  }

  private requireOpen(): TransactionConnection {
    this.parent?.requireOpen();
    if (this.state === 'failed' && this.failure !== undefined) throw this.failure;
    if (this.state !== 'open' || this.connection?.isAlive !== true) {
      throw new DatabaseError('transactionOver', 'The transaction is over.');
    }
    return this.connection;
  }

  private perform<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    const connection = this.requireOpen();
    this.noteWrite(statement.writes);
    return connection.execute<Row>(statement);
  }

  /** Sets a savepoint before its first write, so that its work can be rolled back alone. */
  private setSavepoint(): MaybePromise<void> {
    const { parent } = this;
    if (parent === undefined || this.savepoint !== undefined) return;
    return andThen(parent.setSavepoint(), () => {
      const name = `scope_${this.depth}`;
      const connection = this.requireOpen();
      const set = connection.savepoints
        ? connection.savepoints.set(name)
        : connection.execute({ sql: `SAVEPOINT ${name}`, params: [] });
      return andThen(set, () => {
        this.savepoint = name;
      });
    });
  }

  private get depth(): number {
    return this.parent === undefined ? 0 : this.parent.depth + 1;
  }

  private mergeInto(parent: TransactionScope): MaybePromise<void> {
    return andThen(this.releaseSavepoint(), () => {
      this.requireOpen();
      for (const watch of this.commitWatches) parent.commitWatches.push(watch);
      for (const work of this.beforeCommitWork) parent.beforeCommitWork.push(work);
      for (const work of this.onCommitWork) parent.onCommitWork.push(work);
      for (const work of this.afterCommitWork) parent.afterCommitWork.push(work);
      for (const work of this.afterRollbackWork) parent.afterRollbackWork.push(work);
      if (this.wrote) parent.noteWrite(this.tables);
      this.end('committed');
    });
  }

  private releaseSavepoint(): MaybePromise<unknown> {
    const { savepoint } = this;
    if (savepoint === undefined) return;
    const connection = this.requireOpen();
    if (connection.savepoints) return connection.savepoints.release(savepoint);
    return connection.execute({ sql: `RELEASE ${savepoint}`, params: [] });
  }

  private noteWrite(tables: Iterable<string> | undefined): void {
    this.wrote = true;
    if (tables === undefined) this.tables = undefined;
    else if (this.tables) for (const table of tables) this.tables.add(table);
  }

  private end(state: 'committed' | 'rolledBack' | 'failed', failure?: unknown): void {
    this.state = state;
    this.failure = failure;
    this.endTurn?.();
  }
}

async function undo(connection: TransactionConnection, savepoint: string): Promise<void> {
  await connection.execute({ sql: `ROLLBACK TO ${savepoint}`, params: [] });
  await connection.execute({ sql: `RELEASE ${savepoint}`, params: [] });
}
