import { Logger } from '@nestjs/common';
import { thrownText } from '../kernel/errors/message-of.js';
import { andThen, forEachSeries, type MaybePromise, andCatch } from '../kernel/maybe-promise.js';
import { unlessAborted } from '../kernel/unless-aborted.js';
import { DatabaseError } from './database.error.js';
import type { TransactionConnection } from './dialect.js';
import { ScopeContext } from './scope-context.js';
import { TimeSlices } from './time-slices.js';
import type { TransactionOptions } from './transaction-options.js';
import {
  ExclusiveNeeded,
  faultOf,
  PlaceNeeded,
  TransactionScope,
  type AfterWork,
  type CommittedWork,
} from './transaction-scope.js';

/** How often a unit of work is repeated after a conflict with another transaction. */
const MOST_REPETITIONS = 5;

/** Begins a transaction when its turn comes, or rejects with the reason of the deadline. */
export type BeginTransaction = (options?: TransactionOptions) => MaybePromise<TransactionConnection>;

/** Told what was written, at the moment of a commit. */
export type CommitListener = (tables: ReadonlySet<string> | undefined) => void;

/**
 * Knows which transaction the running code is part of, and runs units of work: begins, commits or rolls them back, and
 * runs the work that was registered for after the commit.
 */
export class AmbientTransactions {
  private readonly logger = new Logger('Database');
  private readonly context: ScopeContext;

  constructor(
    private readonly beginTransaction: BeginTransaction,
    private readonly written: CommitListener,
    { allowsBegin }: { readonly allowsBegin: boolean },
  ) {
    this.context = new ScopeContext(!allowsBegin);
  }

  /** The scope of the running code. Scopes that have ended normally are skipped in favour of the one around them. */
  get current(): TransactionScope | undefined {
    let { scope } = this.context;
    while (scope?.isOver) scope = scope.parent;
    return scope;
  }

  /** Runs work in a scope of its own inside the current one, or in a new transaction. */
  run<T>(work: () => MaybePromise<T>, options: TransactionOptions = {}): MaybePromise<T> {
    return this.runOnce(work, options, 1);
  }

  /**
   * Runs work a statement of which may fail while the code around it goes on with the transaction: in a savepoint,
   * where the database would give all of it up (SCALE-17).
   */
  attempt<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    return this.current?.needsSavepoint ? this.run(work) : work();
  }

  /** Runs work in a transaction that the given function begins. */
  async runOn<T>(begin: BeginTransaction, work: () => Promise<T>): Promise<T> {
    const scope = new TransactionScope();
    await scope.begin(begin);
    return this.context.run(scope, () => this.carryThrough(scope, work));
  }

  /** To be called when the database was closed for good. */
  end(): void {
    this.context.end();
  }

  /** Identifies the ambient transaction: the same object from begin to end; undefined without one. */
  get key(): object | undefined {
    return this.current?.root;
  }

  /** Whether the ambient transaction has written the table so far; also true when that is not known. */
  mayHaveWritten(table: string): boolean {
    return this.current?.mayHaveWritten(table) ?? false;
  }

  /** Throws inside a transaction. For work that waits for the writer, which would be a deadlock there. */
  requireNone(): void {
    if (this.current) throw new DatabaseError('refused', 'This is not possible inside a transaction.');
  }

  /**
   * Begins a transaction that the caller itself ends with `commit` or `rollback`; TypeORM's query runners need it.
   * It is ambient for the caller from here on. Prefer `run`, which cannot be forgotten. Outside of a transaction it
   * needs the option `allowsBegin`.
   */
  begin(): { readonly scope: TransactionScope; readonly begun: Promise<void> } {
    const scope = new TransactionScope(this.current);
    // Before the first await: only then is it the caller's context that changes.
    this.context.enter(scope);
    return { scope, begun: Promise.resolve(scope.begin(() => this.beginTransaction())) };
  }

  /** Commits what `begin` began. */
  async commit(scope: TransactionScope): Promise<void> {
    try {
      await this.finish(scope);
    } catch (error) {
      await this.rollback(scope);
      throw error;
    }
  }

  /** Undoes what `begin` began. */
  async rollback(scope: TransactionScope): Promise<void> {
    try {
      await this.runAll(await scope.rollback());
    } finally {
      this.context.leave(scope);
    }
  }

  /** Runs work inside a scope, unless the caller is inside it already. */
  runIn<T>(scope: TransactionScope, work: () => T): T {
    return this.current?.isWithin(scope) ? work() : this.context.runIn(scope, work);
  }

  /** Runs work outside of any transaction. */
  runOutside<T>(work: () => T): T {
    return this.context.runOutside(work);
  }

  /** Runs work one after the other, outside of any transaction; failures are logged, stop nothing and reach nobody. */
  runAll(due: readonly AfterWork[]): MaybePromise<void> {
    const slices = new TimeSlices();
    return forEachSeries(due, (work) => andThen(this.runOne(work), () => slices.pause()));
  }

  /**
   * Runs a unit of work, and again from the start, in a new transaction, when a concurrent one made it fail (SCALE-17).
   */
  private runOnce<T>(work: () => MaybePromise<T>, options: TransactionOptions, attempt: number): MaybePromise<T> {
    const { deadline, prefetched, exclusive = false, isLong = false } = options;
    const scope = new TransactionScope(this.current, prefetched, attempt <= MOST_REPETITIONS, exclusive);
    const whole = (): MaybePromise<T> => {
      const mayBeginAgain = (): boolean => scope.canBeginAgain;
      const begun = scope.begin(() => this.beginTransaction({ ...options, mayBeginAgain }), deadline);
      return andThen(begun, () => this.context.run(scope, () => this.carryThrough(scope, work, deadline)));
    };
    if (scope.parent) return exclusive ? andThen(scope.parent.becomeExclusive(), whole) : whole();
    return andCatch(whole, (error) => {
      const reason = faultOf(error);
      const isAgain = reason?.kind === 'busy' && scope.canBeginAgain && !deadline?.aborted;
      // Still a conflict after the last attempt: the answer says that the client may try again.
      if (!isAgain) throw reason?.answer ? reason : error;
      const next = {
        exclusive: exclusive || reason instanceof ExclusiveNeeded,
        isLong: isLong || reason instanceof PlaceNeeded,
      };
      return this.runOnce(work, { ...options, ...next }, attempt + 1);
    });
  }

  private runOne(work: AfterWork): MaybePromise<void> {
    return andCatch(
      () => awaited(this.runOutside(work)),
      (error) => this.report('Work after a transaction failed.', error),
    );
  }

  private carryThrough<T>(
    scope: TransactionScope,
    work: () => MaybePromise<T>,
    deadline?: AbortSignal,
  ): MaybePromise<T> {
    const conducted = (): MaybePromise<T> => {
      const running = deadline ? unlessAborted(work, deadline) : work();
      // Its code is done, and nothing that waits for the commit needs to know which transaction it is in.
      if (!(running instanceof Promise) && scope.hasOnlyToCommit) this.context.done(scope);
      return andThen(running, (result) => andThen(this.finish(scope, deadline), () => result));
    };
    return andCatch(conducted, (error) => this.fail(scope, error));
  }

  private finish(scope: TransactionScope, deadline?: AbortSignal): MaybePromise<void> {
    const committed = scope.commit((work) => this.committed(work), deadline);
    return andThen(committed, (due) => {
      this.context.leave(scope);
      // The data are committed, so nothing that goes wrong from here on may fail the unit of work.
      return andCatch(
        () => this.runAll(due),
        (error) => this.report('Work after a transaction failed.', error),
      );
    });
  }

  private async fail(scope: TransactionScope, reason: unknown): Promise<never> {
    const due = await scope.rollback({ reason }).catch((failure: unknown) => {
      this.report('A transaction could not be rolled back.', failure);
      return [];
    });
    this.context.leave(scope);
    await this.runAll(due);
    throw reason;
  }

  private committed({ wrote, tables, onCommit }: CommittedWork): void {
    if (wrote) this.written(tables);
    for (const work of onCommit) {
      try {
        work();
      } catch (error) {
        this.report('Work at a commit failed.', error);
      }
    }
  }

  private report(what: string, error: unknown): void {
    this.logger.error(what, error instanceof Error ? (error.stack ?? error.message) : thrownText(error));
  }
}

/** A promise that a team's code returns may be of any library. */
function awaited(running: void | PromiseLike<void>): MaybePromise<void> {
  return running === undefined ? undefined : Promise.resolve(running);
}
