import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import type { CompiledSql } from './compiled-sql.js';
import type { DatabaseChanges } from './database-changes.js';
import type { DatabaseLifecycle } from './database-lifecycle.js';
import type { RowsToWrite, StatementResult } from './dialect.js';
import type { SharedTransactions } from './shared-transactions.js';
import type { StatementWatch } from './statement-watch.js';

interface Dependencies {
  readonly transactions: AmbientTransactions;
  readonly sharedTransactions: SharedTransactions;
  readonly changes: DatabaseChanges;
  readonly watch: StatementWatch;
}

/**
 * Writing statements: in the ambient transaction, or in one of their own when their turn comes. `Database.run` is the
 * everyday name of `run`.
 */
export class DatabaseWrites {
  constructor(
    private readonly lifecycle: DatabaseLifecycle,
    private readonly around: Dependencies,
  ) {}

  /** Everything the statement gave, without a promise where nothing has to be waited for. */
  run<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    const { watch, transactions } = this.around;
    return watch.run(statement, () => {
      const scope = transactions.current;
      return scope ? scope.write<Row>(statement) : this.runAlone<Row>(statement);
    });
  }

  /**
   * As `run`, for what is likely to be the last statement of its transaction. Where it is sent together with the
   * commit, a failure of it comes out at the commit.
   */
  runLast(statement: CompiledSql): MaybePromise<void> {
    const { watch, transactions } = this.around;
    const scope = transactions.current;
    if (!scope) return andThen(this.run(statement), () => undefined);
    return watch.run(statement, () => scope.writeLast(statement));
  }

  /**
   * Stores many rows in a transaction of their own, when nothing else wants the processor. Writers wait meanwhile, for
   * seconds on a busy machine. Rejects with a ProcessUnavailableError where no other process can be started: then
   * nothing was stored.
   */
  async runForRows(rows: RowsToWrite): Promise<void> {
    const { transactions, changes } = this.around;
    transactions.requireNone();
    await this.lifecycle.use((connections) => connections.writeRows(rows));
    changes.count(rows.writes);
  }

  private async runAlone<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    this.around.sharedTransactions.begin();
    const result = await this.lifecycle.use((connections) => connections.write<Row>(statement));
    this.around.changes.count(statement.writes);
    return result;
  }
}
