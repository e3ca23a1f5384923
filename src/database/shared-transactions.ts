import { AsyncResource } from 'node:async_hooks';
import { andThen, forEachSeries, type MaybePromise, andCatch } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import { TimeSlices } from './time-slices.js';
import type { TransactionOptions } from './transaction-options.js';
import type { TransactionScope } from './transaction-scope.js';

/** Most units of work in one transaction; none is answered before the last one is done. */
const MOST_TOGETHER = 64;
/** Milliseconds of work after which others, except writers, get their turn: longer than usual, for all parts wait. */
const SLICE = 8;

/** A unit of work that shares its transaction. */
interface Part {
  readonly work: () => MaybePromise<unknown>;
  readonly options: TransactionOptions;
  /** The async context of the caller, in which the work runs. */
  readonly context: AsyncResource;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** When units of work share a transaction. */
interface SharingOptions {
  /** False where writers do not take turns: concurrent transactions are faster there. */
  readonly areShared: boolean;
  /** True where another process may be writing: parts that arrive while waiting for it are added. */
  readonly areOpen: boolean;
}

/**
 * Lets units of work that are requested in one turn of the event loop share a transaction (group commit), because a
 * commit costs more than most of what it stores.
 *
 * Each part is rolled back alone when it fails. When the commit fails, nothing was stored and nobody has been answered:
 * each part is then run again in a transaction of its own. When the parts take long, other code, except writers, runs
 * between them (OPS-39).
 */
export class SharedTransactions {
  private readonly waiting: Part[] = [];
  private isBeginning = false;
  /** The parts of a transaction that has not begun, to which more can be added. */
  private open: Part[] | undefined;
  private readonly areShared: boolean;
  private readonly areOpen: boolean;

  constructor(
    private readonly transactions: AmbientTransactions,
    { areShared, areOpen }: SharingOptions,
  ) {
    this.areShared = areShared;
    this.areOpen = areOpen;
  }

  /**
   * As `Database.transaction`, for work that waits for nothing but the database. When the commit fails, the work is
   * done once more, so that it must have no effect before `onCommit` or `afterCommit` but in the database.
   */
  run<T>(work: () => MaybePromise<T>, options: TransactionOptions = {}): MaybePromise<T> {
    if (this.transactions.current) return this.transactions.run(work);
    if (!this.areShared) return this.transactions.run(work, options);
    return new Promise((resolve, reject) => {
      const context = new AsyncResource('RoostTransaction');
      const part: Part = { work, options, context, resolve: resolve as Part['resolve'], reject };
      if (this.open && this.open.length < MOST_TOGETHER) return void this.open.push(part);
      this.waiting.push(part);
      if (this.waiting.length === 1) setImmediate(() => this.next());
    });
  }

  /** Begins all waiting transactions, before a writer that was requested after them. */
  begin(): void {
    // A part that is requested after this writer must not run before it.
    this.open = undefined;
    // The transactions begun here call this method again.
    while (!this.isBeginning && this.waiting.length > 0) this.beginSome();
  }

  /** The others wait until these have been answered. */
  private next(): void {
    this.beginSome();
    if (this.waiting.length > 0) setImmediate(() => this.next());
  }

  private beginSome(): void {
    const parts = this.waiting.splice(0, MOST_TOGETHER);
    this.isBeginning = true;
    if (parts.length > 1 || (this.areOpen && parts.length > 0)) void this.together(parts);
    else for (const part of parts) this.alone(part);
    this.isBeginning = false;
  }

  private alone({ work, options, context, resolve, reject }: Part): void {
    const run = () => context.runInAsyncScope(() => this.transactions.run(work, options));
    void andCatch(() => andThen(run(), resolve), reject);
  }

  private async together(parts: Part[]): Promise<void> {
    const answers: (() => void)[] = [];
    let hasBegun = false;
    const whole = (): MaybePromise<void> => {
      hasBegun = true;
      if (this.open === parts) this.open = undefined;
      const scope = this.transactions.current!;
      const slices = new TimeSlices(SLICE);
      return forEachSeries(parts, (part) => {
        const others = slices.pause();
        return others ? others.then(() => this.carryOut(part, scope, answers)) : this.carryOut(part, scope, answers);
      });
    };
    try {
      const running = this.transactions.runOutside(() => this.transactions.run(whole));
      if (this.areOpen && !hasBegun) this.open = parts;
      await running;
    } catch (error) {
      if (this.open === parts) this.open = undefined;
      if (hasBegun) parts.forEach((part) => this.alone(part));
      else parts.forEach(({ reject }) => reject(error));
      return;
    }
    for (const answer of answers) answer();
  }

  /** Runs a part. It never rejects; the caller of the part is told once the commit is done. */
  private carryOut(
    { work, options, context, resolve, reject }: Part,
    whole: TransactionScope,
    answers: (() => void)[],
  ): MaybePromise<void> {
    const run = (): MaybePromise<unknown> =>
      context.runInAsyncScope(() => this.transactions.runIn(whole, () => this.transactions.run(work, options)));
    const finish = (result: unknown): void => {
      const due = whole.takeAfterCommitWork();
      answers.push(() => {
        const settled = context.runInAsyncScope(() => this.transactions.runAll(due));
        void andThen(settled, () => resolve(result));
      });
    };
    return andCatch(
      () => andThen(run(), finish),
      (error) => void answers.push(() => reject(error)),
    );
  }
}
