import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import type { AfterWork, CommitWatch } from './transaction-scope.js';

/** What is to happen around the end of the ambient transaction. */
export class CommitWork {
  constructor(private readonly transactions: AmbientTransactions) {}

  /**
   * Calls `watch` right before the commit of the ambient transaction is sent, and what it returns once the commit has
   * succeeded, after the work of `onCommit`, or failed. In between it is unknown whether a read saw the state before or
   * after the commit. Neither may throw. Does nothing without a transaction.
   */
  aroundCommit(watch: CommitWatch): void {
    this.transactions.current?.aroundCommit(watch);
  }

  /**
   * Runs work as the last part of the ambient transaction, right before its commit is asked for; a failure rolls it
   * back. Not without a transaction, and not for what is undone in it.
   */
  beforeCommit(work: () => MaybePromise<void>): void {
    this.transactions.current?.beforeCommit(work);
  }

  /**
   * Runs work at the moment of the commit, before any other writer begins: for what must happen in commit order. It
   * must not throw or wait. Without a transaction it runs at once.
   */
  onCommit(work: () => void): void {
    const scope = this.transactions.current;
    if (scope) scope.onCommit(work);
    else work();
  }

  /** The last work given to `onCommit` in this part of the ambient transaction. */
  get lastOnCommit(): (() => void) | undefined {
    return this.transactions.current?.lastOnCommit;
  }

  /**
   * Runs work after the outermost transaction has committed, in the order it was handed over; at once without a
   * transaction. A failure is logged and changes nothing.
   */
  afterCommit(work: AfterWork): void {
    const scope = this.transactions.current;
    if (scope) scope.afterCommit(work);
    else void this.transactions.runAll([work]);
  }

  /**
   * Runs work after the transaction around it has been rolled back; never without a transaction. In one that was given
   * up already, by a deadline, it runs at once.
   */
  afterRollback(work: AfterWork): void {
    const scope = this.transactions.current;
    if (scope?.hasFailed) void this.transactions.runAll([work]);
    else scope?.afterRollback(work);
  }
}
