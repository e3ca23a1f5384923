import type { ForeseenAnswers } from './foresight.js';

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
  readonly apart?: boolean;
  /** Begins when no other transaction is open, and keeps others from beginning: definitions of tables are to change. */
  readonly alone?: boolean;
  /**
   * Begins with its first statement, should that be its commit: what is done before may be done again, because definitions
   * may have changed until then. Means nothing where a beginning costs nothing.
   */
  readonly late?: boolean;
  /** See `Database.foreseeing`, which hands it over. */
  readonly foreseen?: ForeseenAnswers;
}
