import { Logger } from '@nestjs/common';
import { andThen, eachInOrder, type MaybePromise, orElse } from '../kernel/maybe-promise.js';
import { DatabaseError } from './database.error.js';
import type { TransactionConnection } from './dialect.js';
import { ScopeContext } from './scope-context.js';
import { TimeSlices } from './time-slices.js';
import type { TransactionOptions } from './transaction-options.js';
import { AloneWanted, faultOf, TransactionScope, type AfterWork, type CommittedWork } from './transaction-scope.js';

/** How often a unit of work is done again that others got in the way of. */
const MOST_REPETITIONS = 5;

/** Begins a transaction when its turn comes, or rejects with the reason of the deadline. */
export type BeginTransaction = (options?: TransactionOptions) => MaybePromise<TransactionConnection>;

/** Told what was written, at the moment of a commit. */
export type CommitListener = (tables: ReadonlySet<string> | undefined) => void;

/**
 * Knows which transaction the running code is part of, and conducts units of work: begins them, commits or undoes
 * them, and runs what was put off until then.
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

  /** The scope whose code is asking. Those that are over without harm are passed over. */
  get current(): TransactionScope | undefined {
    let { scope } = this.context;
    while (scope?.isGone) scope = scope.parent;
    return scope;
  }

  /** Runs work in a scope of its own inside the current one, or in a new transaction. */
  run<T>(work: () => MaybePromise<T>, options: TransactionOptions = {}): MaybePromise<T> {
    return this.runOnce(work, options, 1);
  }

  /** What others got in the way of is done again, from the start, in a transaction of its own (SCALE-17). */
  private runOnce<T>(work: () => MaybePromise<T>, options: TransactionOptions, attempt: number): MaybePromise<T> {
    const { deadline, foreseen, alone = false } = options;
    const scope = new TransactionScope(this.current, foreseen, attempt <= MOST_REPETITIONS, alone);
    const whole = (): MaybePromise<T> => {
      const begun = scope.begin(() => this.beginTransaction(options), deadline);
      return andThen(begun, () => this.context.run(scope, () => this.conduct(scope, work, deadline)));
    };
    if (scope.parent) return alone ? andThen(scope.parent.beAlone(), whole) : whole();
    return orElse(whole, (error) => {
      const reason = faultOf(error);
      const isAgain = reason?.kind === 'busy' && scope.canBeginAgain && !deadline?.aborted;
      // However it was explained on its way: it is no fault of what was asked for.
      if (!isAgain) throw reason?.answer ? reason : error;
      return this.runOnce(work, { ...options, alone: alone || reason instanceof AloneWanted }, attempt + 1);
    });
  }

  /**
   * Runs work a statement of which may fail while the code around it goes on with the transaction: in a savepoint, where
   * the database would give all of it up (SCALE-17).
   */
  attempt<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    return this.current?.needsSavepoint ? this.run(work) : work();
  }

  /** Runs work in a transaction that is begun on these very connections. */
  async runOn<T>(begin: BeginTransaction, work: () => Promise<T>): Promise<T> {
    const scope = new TransactionScope();
    await scope.begin(begin);
    return this.context.run(scope, () => this.conduct(scope, work));
  }

  /** Stands for the ambient transaction: the same object from its begin to its end; undefined without one. */
  get key(): object | undefined {
    return this.current?.root;
  }

  /** Whether the ambient transaction has written the table so far; also true when that is not known. */
  mayHaveWritten(table: string): boolean {
    return this.current?.mayHaveWritten(table) ?? false;
  }

  /** For what waits for the writer, and would wait for ever inside a transaction. */
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
    return this.current?.isWithin(scope) ? work() : this.context.within(scope, work);
  }

  /** Runs work outside of any transaction. */
  runOutside<T>(work: () => T): T {
    return this.context.outside(work);
  }

  /** Runs work one after the other, outside of any transaction; failures are logged, stop nothing and reach nobody. */
  runAll(due: readonly AfterWork[]): MaybePromise<void> {
    const slices = new TimeSlices();
    return eachInOrder(due, (work) => andThen(this.runOne(work), () => slices.pause()));
  }

  private runOne(work: AfterWork): MaybePromise<void> {
    return orElse(
      () => awaited(this.runOutside(work)),
      (error) => this.report('Work after a transaction failed.', error),
    );
  }

  private conduct<T>(scope: TransactionScope, work: () => MaybePromise<T>, deadline?: AbortSignal): MaybePromise<T> {
    const conducted = (): MaybePromise<T> => {
      const running = unlessAborted(work, deadline);
      // Its code is done and nothing waits for the commit that would have to know where it is.
      if (!(running instanceof Promise) && scope.hasOnlyToCommit) this.context.done(scope);
      return andThen(running, (result) => andThen(this.finish(scope, deadline), () => result));
    };
    return orElse(conducted, (error) => this.fail(scope, error));
  }

  private finish(scope: TransactionScope, deadline?: AbortSignal): MaybePromise<void> {
    const committed = scope.commit((work) => this.committed(work), deadline);
    return andThen(committed, (due) => {
      this.context.leave(scope);
      // What is stored is stored: nothing that goes wrong from here on may be taken for a failure.
      return orElse(
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
    this.logger.error(what, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** What a team hands over may give any kind of promise. */
function awaited(running: void | PromiseLike<void>): MaybePromise<void> {
  return running === undefined ? undefined : Promise.resolve(running);
}

/** Lets go of work when the signal aborts; it may end later, unheard. */
function unlessAborted<T>(work: () => MaybePromise<T>, signal?: AbortSignal): MaybePromise<T> {
  return signal === undefined ? work() : untilAborted(work, signal);
}

async function untilAborted<T>(work: () => MaybePromise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
