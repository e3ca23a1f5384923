import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { andThen, type MaybePromise, andCatch } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import type { DatabaseChanges } from './database-changes.js';
import type { DatabaseLifecycle } from './database-lifecycle.js';
import type { DatabaseReads } from './database-reads.js';
import { AnswerNeeded, PrefetchedAnswers, NOTHING_PREFETCHED, type RuleQuestion } from './prefetched-answers.js';
import type { TransactionOptions } from './transaction-options.js';
import type { TransactionScope } from './transaction-scope.js';

/** How often a transaction is begun again because a table that was read has changed meanwhile. */
const MOST_ATTEMPTS = 20;
/** Seconds for which other writers may be blocked by a question inside a transaction. */
const LONGEST_HOLD = 1;

interface Dependencies {
  readonly transactions: AmbientTransactions;
  readonly reads: DatabaseReads;
  readonly changes: DatabaseChanges;
}

/** Evaluates rules that decide about a write inside its transaction, without letting a slow one block all writers. */
export class RuleQuestions {
  constructor(
    private readonly lifecycle: DatabaseLifecycle,
    private readonly around: Dependencies,
  ) {}

  /**
   * As `DatabaseReads.rows`. A question that might go on for long is not asked inside a transaction: what was
   * prefetched counts, or the transaction is given up for the answer (`withPrefetch`), or another process answers while
   * nobody else can write, for a second at most. Rejects with a 400 when the time is over.
   */
  rows<Row>(question: RuleQuestion): MaybePromise<readonly Row[]> {
    const { reads, transactions } = this.around;
    const scope = transactions.current;
    if (!scope) return reads.rows<Row>(question);
    return andThen(
      this.lifecycle.use((connections) => connections.isSmall(question)),
      (isSmall) => (isSmall ? reads.rows<Row>(question) : this.largeRows<Row>(scope, question)),
    );
  }

  /**
   * Runs a unit of work whose transaction may have to begin more than once: `attempt` must hand the options on to it
   * and have no effect before `endPrefetch`. A question that may take long is answered outside of any transaction; the
   * answer counts if no table that was read for it has changed when the transaction has begun again.
   */
  withPrefetch<T>(attempt: (options: TransactionOptions) => MaybePromise<T>): MaybePromise<T> {
    if (this.around.transactions.current) return attempt({});
    return andCatch(
      () => attempt({ prefetched: NOTHING_PREFETCHED }),
      (error) => {
        if (error instanceof AnswerNeeded) return this.foresee(attempt, error.question);
        throw error;
      },
    );
  }

  /** From here on the ambient transaction must not begin again. */
  endPrefetch(): void {
    const scope = this.around.transactions.current;
    if (scope?.prefetched) scope.prefetched = undefined;
  }

  /** The time that `@now` stands for in the rules of the ambient transaction, when it began again because of one. */
  get prefetchedAt(): number | undefined {
    return this.around.transactions.current?.prefetched?.since;
  }

  private async foresee<T>(attempt: (options: TransactionOptions) => MaybePromise<T>, first: RuleQuestion): Promise<T> {
    const { changes, reads } = this.around;
    const prefetched = new PrefetchedAnswers(first.now);
    let wanted = first;
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
      const version = changes.version(wanted.tables);
      prefetched.keep(wanted, { version, rows: await reads.rows(wanted) });
      try {
        return await attempt({ prefetched });
      } catch (error) {
        if (!(error instanceof AnswerNeeded)) throw error;
        wanted = error.question;
      }
    }
    throw new BadRequestError('A rule could not be asked, because what it reads changes all the time.');
  }

  private async largeRows<Row>(scope: TransactionScope, question: RuleQuestion): Promise<readonly Row[]> {
    const { tables } = question;
    const isUntouched = tables.length > 0 ? !tables.some((name) => scope.mayHaveWritten(name)) : !scope.hasWritten;
    if (isUntouched) {
      const answer = scope.prefetched?.find(question);
      if (answer && answer.version === this.around.changes.version(tables)) return answer.rows as readonly Row[];
      if (scope.prefetched) throw new AnswerNeeded(question);
      // No other writer can commit now, so another connection sees what this transaction has read.
      return this.lifecycle.use((connections) => connections.readWithTimeout<Row>(question, LONGEST_HOLD));
    }
    const rows = await scope.readWithinBudget<Row>(question);
    if (rows) return rows;
    throw new BadRequestError('The query would take too long inside a transaction.');
  }
}
