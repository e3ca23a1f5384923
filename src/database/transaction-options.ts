import type { PrefetchedAnswers } from './prefetched-answers.js';

/** How a unit of work is run. */
export interface TransactionOptions {
  /**
   * Aborts the transaction: it is rolled back, the writer is free at once, the promise rejects with the signal's
   * reason, and nothing the abandoned work still does is stored.
   */
  readonly deadline?: AbortSignal;
  /**
   * Runs its statements in a child process, where a long one blocks other writers only. It makes every statement a
   * little slower, and has no effect inside another transaction.
   */
  readonly offThread?: boolean;
  /**
   * Begins when no other transaction is open, and prevents others from beginning, because table definitions will
   * change.
   */
  readonly exclusive?: boolean;
  /**
   * Begins with its first statement, should that be its commit: what is done before may be done again, because
   * definitions may have changed until then. Means nothing where a beginning costs nothing.
   */
  readonly late?: boolean;
  /**
   * It goes on for long, so that it has a connection only in its turn: others are to have some left. Means nothing where
   * writers take turns anyway.
   */
  readonly isLong?: boolean;
  /** Whether it may be rolled back and begun again at this moment; a conflict has the same effect. */
  readonly mayBeginAgain?: () => boolean;
  /** Passed on from `RuleQuestions.withPrefetch`. */
  readonly prefetched?: PrefetchedAnswers;
}
