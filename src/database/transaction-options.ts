import type { PrefetchedAnswers } from './prefetched-answers.js';

/** How a unit of work is run. */
export interface TransactionOptions {
  /**
   * Gives the transaction up when it aborts: it is rolled back, the writer is free at once, the promise rejects with
   * the signal's reason, and nothing the abandoned work still does is stored.
   */
  readonly deadline?: AbortSignal;
  /**
   * Runs its statements where a long one holds up nobody but other writers. It costs a little for every statement, and
   * means nothing inside another transaction, which has begun already.
   */
  readonly offThread?: boolean;
  /** Begins when no other transaction is open, and keeps others from beginning: definitions of tables are to change. */
  readonly exclusive?: boolean;
  /** See `RuleQuestions.withPrefetch`, which hands it over. */
  readonly prefetched?: PrefetchedAnswers;
}
