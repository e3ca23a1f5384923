import { ConflictError } from '../kernel/errors/conflict.error.js';
import { andThen, eachInOrder, lastly, type MaybePromise, orElse } from '../kernel/maybe-promise.js';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseError } from './database.error.js';
import type { StatementResult, TransactionConnection } from './dialect.js';
import type { ForeseenAnswers } from './foresight.js';
import { TurnQueue, type EndTurn } from '../kernel/turn-queue.js';

/** Thrown out of a transaction that is to begin again, with no other beside it. */
export class AloneWanted extends DatabaseError {
  constructor() {
    super('busy', 'The transaction has to begin alone.', {}, { answer: new ConflictError() });
  }
}

/** The failure of the moment behind an error, however it was explained on its way. */
export function faultOf(error: unknown): DatabaseError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseError && cause.isFault) return cause;
  }
  return undefined;
}

/** Work to be done once the fate of a transaction is known. */
export type AfterWork = () => void | Promise<void>;

/** Called right before a commit is asked for; what it returns is called once that has succeeded or failed. */
export type CommitWatch = () => () => void;

/** What a commit brought about. `tables` is undefined when it is not known which ones were written. */
export interface CommittedWork {
  readonly wrote: boolean;
  readonly tables: ReadonlySet<string> | undefined;
  /** To be run at this very moment, before the next writer begins. */
  readonly onCommit: readonly (() => void)[];
}

/**
 * One unit of work. The outermost scope is the transaction itself; a scope inside joins it: what it did is committed
 * with the outermost one, and undone alone when it fails and its caller carries on.
 *
 * The scopes inside one scope take turns, and its own writing statements take turns with them: the savepoints behind
 * them are a stack.
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
    /** Answers found before it began; there where it may still be given up and begun again for others. */
    public foreseen?: ForeseenAnswers,
    /** True for what is begun again when others got in the way. */
    private readonly isRepeatable = false,
    /** No other transaction is open beside it. */
    readonly isAlone = false,
  ) {}

  /** Over, and code that still runs in it may go on without it. Code in a failed scope may not. */
  get isGone(): boolean {
    return this.state === 'committed' || this.state === 'rolledBack';
  }

  /** It, or what it is part of, has been given up. */
  get hasFailed(): boolean {
    return this.state === 'failed' || (this.parent?.hasFailed ?? false);
  }

  /** The outermost scope around this one: the transaction itself. */
  get root(): TransactionScope {
    return this.parent?.root ?? this;
  }

  /** Is this the given scope or one inside it? */
  isWithin(other: TransactionScope): boolean {
    return this === other || (this.parent?.isWithin(other) ?? false);
  }

  /** A failed statement inside it would take along what it is part of, unless it has a savepoint. */
  get needsSavepoint(): boolean {
    return this.connection?.isBrokenByFailure ?? false;
  }

  /** Begins it: the transaction with `connect`, a scope inside another one when its turn there comes. */
  begin(connect: () => MaybePromise<TransactionConnection>, signal?: AbortSignal): MaybePromise<void> {
    return orElse(
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
  hold(name: string): MaybePromise<void> {
    return this.requireOpen().hold?.(name);
  }

  /**
   * For what is part of a transaction that did not begin alone. Where that may begin again, it is asked to do so alone:
   * two that each wait for the other to end would wait for ever.
   */
  beAlone(): MaybePromise<void> {
    const { connection } = this.root;
    if (!connection?.beAlone || this.root.isAlone) return;
    if (this.canBeginAgain) throw new AloneWanted();
    return connection.beAlone();
  }

  /** True as long as nothing but the database knows that it had begun, and whoever conducts it would begin again. */
  get canBeginAgain(): boolean {
    if (this.afterRollbackWork.length > 0) return false;
    return this.parent ? this.parent.canBeginAgain : this.isRepeatable && this.needsSavepoint;
  }

  write<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    return andThen(this.inner.turnNow() ?? this.inner.turn(), (endTurn) =>
      lastly(() => andThen(this.setSavepoint(), () => this.perform<Row>(statement)), endTurn),
    );
  }

  /**
   * As `write`, for the last statement of a transaction, whose failure may come out at its end. One that is part of another
   * is not the last.
   */
  writeLast(statement: CompiledSql): MaybePromise<void> {
    if (this.parent || !this.connection?.putOff) return andThen(this.write(statement), () => undefined);
    return andThen(this.inner.turnNow() ?? this.inner.turn(), (endTurn) =>
      lastly(() => {
        const connection = this.requireOpen();
        this.noteWrite(statement.writes);
        connection.putOff!(statement);
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
   * Ends it well; an aborted signal refuses that until the very last moment. `committed` is called between the commit
   * and the next writer's turn. Returns the work that is due now: all of it for the outermost scope, none for others.
   */
  commit(committed: (work: CommittedWork) => void, signal?: AbortSignal): MaybePromise<readonly AfterWork[]> {
    return andThen(this.lastStatements(), () => {
      const turn = this.inner.turnNow(signal) ?? this.inner.turn(signal);
      return andThen(turn, (endInner) => lastly(() => this.finish(committed), endInner));
    });
  }

  /**
   * Undoes it at once, whatever its code is doing. Returns the work that is due now. A scope that ended with a failure
   * refuses every statement its code may still come up with; without one they go on outside of it.
   */
  async rollback(failure?: { readonly reason: unknown }): Promise<readonly AfterWork[]> {
    if (this.isGone) return [];
    const connection = this.connection;
    const canUndo = connection?.isAlive === true && (this.parent?.isOpen ?? true);
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

  /** Of the transaction as a whole, and only when all of it is certain to be committed. */
  private lastStatements(): MaybePromise<void> {
    if (this.parent || this.beforeCommitWork.length === 0) return undefined;
    const works = eachInOrder(this.beforeCommitWork.splice(0), (work) => work());
    // They may have left something to be done after all of them.
    return andThen(works, () => this.lastStatements());
  }

  private join(parent: TransactionScope, signal?: AbortSignal): MaybePromise<TransactionConnection> {
    return andThen(parent.inner.turnNow(signal) ?? parent.inner.turn(signal), (endTurn) => {
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
    const committing = lastly(commit, () => {
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

  /** Before its first write, so that what it does can be undone alone. */
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
