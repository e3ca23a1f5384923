import type { MaybePromise } from '../kernel/maybe-promise.js';
import { PreparedStatement } from '../kernel/sql/prepared-statement.js';
import type { SqlStatement } from '../kernel/sql/sql-node.js';
import { AmbientTransactions } from './ambient-transactions.js';
import { CommitWork } from './commit-work.js';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseChanges } from './database-changes.js';
import { DatabaseLifecycle, type InspectDatabase, type PrepareDatabase } from './database-lifecycle.js';
import { DatabaseReads } from './database-reads.js';
import { DatabaseUpkeep } from './database-upkeep.js';
import { DatabaseWrites } from './database-writes.js';
import type { Dialect, StatementResult } from './dialect.js';
import { StatementCache } from './statement-cache.js';
import { RuleQuestions } from './rule-questions.js';
import { SharedTransactions } from './shared-transactions.js';
import { type StatementTrace, StatementWatch } from './statement-watch.js';
import type { TransactionOptions } from './transaction-options.js';
import type { AfterWork } from './transaction-scope.js';

export type { CompiledSql } from './compiled-sql.js';

/** How a Database is put together. */
export interface DatabaseOptions {
  readonly prepare?: PrepareDatabase;
  readonly inspect?: InspectDatabase;
  readonly trace?: StatementTrace;
  /**
   * Whether `transactions.begin` may be called, as query runners in modules of a team do. Without it, requests that
   * only read cost less (see ScopeContext). True by default.
   */
  readonly allowsBegin?: boolean;
  /** Other processes serve the same data, and what they have committed is looked for with each request. */
  readonly hasPeers?: boolean;
}

/**
 * Runs statements and units of work. The transaction is ambient: everything called inside `transaction(work)` takes
 * part in it without being passed anything. The database opens on first use.
 *
 * This class has the methods of everyday use, its parts have the rest, each with one subject. A statement is a tree,
 * which the dialect turns into SQL, or SQL text. It rejects with a DatabaseError; a reading statement that takes longer
 * than the query limit rejects with a 400. Code that catches either can go on with the transaction; `reads` and
 * `writes` leave out what makes this possible, which costs a savepoint on some databases.
 */
export class Database {
  readonly reads: DatabaseReads;
  readonly writes: DatabaseWrites;
  readonly ruleQuestions: RuleQuestions;
  readonly transactions: AmbientTransactions;
  readonly sharedTransactions: SharedTransactions;
  readonly commitWork: CommitWork;
  readonly changes: DatabaseChanges;
  readonly lifecycle: DatabaseLifecycle;
  readonly upkeep: DatabaseUpkeep;
  readonly watch: StatementWatch;
  readonly statements: StatementCache;
  readonly hasPeers: boolean;

  constructor(
    readonly dialect: Dialect,
    { prepare, inspect, trace, allowsBegin = true, hasPeers = false }: DatabaseOptions = {},
  ) {
    const changes = new DatabaseChanges(() => transactions);
    const transactions: AmbientTransactions = new AmbientTransactions(
      (options) => {
        sharedTransactions.begin();
        return lifecycle.use((connections) => connections.begin(options));
      },
      (tables) => changes.count(tables),
      { allowsBegin },
    );
    const sharedTransactions = new SharedTransactions(transactions, {
      areShared: dialect.writersTakeTurns,
      areOpen: hasPeers,
    });
    const lifecycle: DatabaseLifecycle = new DatabaseLifecycle(dialect, {
      transactions,
      changes,
      prepare,
      inspect,
    });
    const watch = new StatementWatch(
      () => (transactions.current ? undefined : lifecycle.opened?.lookForForeignCommits()),
      trace,
    );
    const reads = new DatabaseReads(lifecycle, transactions, watch);
    this.reads = reads;
    this.writes = new DatabaseWrites(lifecycle, { transactions, sharedTransactions, changes, watch });
    this.ruleQuestions = new RuleQuestions(lifecycle, { transactions, reads, changes });
    this.transactions = transactions;
    this.sharedTransactions = sharedTransactions;
    this.commitWork = new CommitWork(transactions);
    this.changes = changes;
    this.lifecycle = lifecycle;
    this.upkeep = new DatabaseUpkeep(lifecycle, transactions, changes);
    this.watch = watch;
    this.statements = new StatementCache(dialect);
    this.hasPeers = hasPeers;
  }

  /**
   * The rows of a reading statement: inside a transaction as it sees them, otherwise as last committed. A writing one
   * that gives rows must name the tables it writes.
   */
  async all<Row>(statement: CompiledSql | SqlStatement): Promise<Row[]> {
    const compiled = this.compiled(statement);
    if (compiled.writes !== undefined) return (await this.run<Row>(compiled)).rows;
    return this.transactions.attempt(() => this.reads.rows<Row>(compiled));
  }

  /** The first row of a reading statement. */
  async get<Row>(statement: CompiledSql | SqlStatement): Promise<Row | undefined> {
    return (await this.all<Row>(statement))[0];
  }

  /** Runs a writing statement in the ambient transaction, or in one of its own when its turn comes. */
  async run<Row>(statement: CompiledSql | SqlStatement): Promise<StatementResult<Row>> {
    const compiled = this.compiled(statement);
    return this.transactions.attempt(() => this.writes.run<Row>(compiled));
  }

  /**
   * Runs work in a transaction: committed when it returns, rolled back when it throws. Inside another one it joins
   * that: a failure undoes its own part, and the caller decides about the rest. Resolves after the work that waited
   * for the commit is done.
   */
  async transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.transactions.run(async () => work(), options);
  }

  /**
   * Locks a name until the end of the ambient transaction, waiting for others that hold it: for decisions that depend
   * on rows that do not exist, which no row lock protects. Does nothing where writers take turns.
   */
  lock(name: string): MaybePromise<void> {
    return this.transactions.current?.lock(name);
  }

  /** Whether others may write while the ambient transaction is open, so that what it has read needs a lock. */
  get hasConcurrentWriters(): boolean {
    return !this.dialect.writersTakeTurns && this.inTransaction;
  }

  /** Whether each statement is a round trip worth saving, and the first statement of a transaction begins it. */
  get savesRoundTrips(): boolean {
    return !this.dialect.writersTakeTurns && !this.hasPeers && !this.inTransaction;
  }

  /** Whether the running code is part of a transaction. */
  get inTransaction(): boolean {
    return this.transactions.current !== undefined;
  }

  /** Runs work outside of any transaction: for timers and whatever else outlives the transaction around it. */
  runOutside<T>(work: () => T): T {
    return this.transactions.runOutside(work);
  }

  /**
   * Learns of everything that other processes have committed until now, so that no cache answers with something older
   * (SCALE-23). Costs nothing when no other process serves the same data.
   */
  catchUp(): MaybePromise<void> {
    if (!this.hasPeers || this.inTransaction) return;
    return this.lifecycle.opened?.catchUp();
  }

  /** Whether other processes may change data without this one learning of it at once. Then rows are not cached. */
  get mayBeStale(): boolean {
    return this.hasPeers && !this.dialect.writersTakeTurns;
  }

  /** As in CommitWork: at the moment of the commit. */
  onCommit(work: () => void): void {
    this.commitWork.onCommit(work);
  }

  /** As in CommitWork: once it is committed. */
  afterCommit(work: AfterWork): void {
    this.commitWork.afterCommit(work);
  }

  /** As in CommitWork: once it has been rolled back. */
  afterRollback(work: AfterWork): void {
    this.commitWork.afterRollback(work);
  }

  private compiled(statement: CompiledSql | SqlStatement): CompiledSql {
    if (!('kind' in statement)) return statement;
    return PreparedStatement.of(this.dialect.newCompiler(), () => statement).with([]);
  }
}

/** The database of the logs, in a file of its own with a writer of its own (OPS-80). */
export class AuxiliaryDatabase extends Database {}
