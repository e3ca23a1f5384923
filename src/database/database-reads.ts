import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import type { CompiledSql } from './compiled-sql.js';
import type { DatabaseLifecycle } from './database-lifecycle.js';
import type { DatabaseConnections } from './dialect.js';
import type { SlowStatement } from './slow-statements.js';
import type { StatementWatch } from './statement-watch.js';

/** Connections count their versions with 32 bits, starting anew with each opening. */
const VERSIONS_PER_OPENING = 2 ** 32;

/**
 * Reading statements: inside a transaction as it sees the rows, otherwise as last committed. What takes longer than the
 * query limit rejects with a 400. `Database.all` and `Database.get` are the everyday names of `rows`.
 */
export class DatabaseReads {
  private versionOf?: DatabaseConnections;
  private openings = 0;

  constructor(
    private readonly lifecycle: DatabaseLifecycle,
    private readonly transactions: AmbientTransactions,
    private readonly watch: StatementWatch,
  ) {}

  /** The rows themselves, without a promise where nothing has to be waited for. */
  rows<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    return this.watch.run(statement, () => {
      const scope = this.transactions.current;
      return scope ? scope.read<Row>(statement) : this.lifecycle.use((connections) => connections.read<Row>(statement));
    });
  }

  /** As `rows`, for a statement that finds a row of a table by its key. */
  rowsByKey<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    return this.watch.run(statement, () => {
      const scope = this.transactions.current;
      if (scope) return scope.read<Row>(statement);
      return this.lifecycle.use(
        (connections) => connections.readByKey?.<Row>(statement) ?? connections.read<Row>(statement),
      );
    });
  }

  /**
   * A number that changes with each commit, of this process or another: what was read can be cached while it stays the
   * same. Undefined inside transactions, and where asking the driver would have to be awaited.
   */
  get version(): number | undefined {
    const connections = this.transactions.current ? undefined : this.lifecycle.opened;
    if (!connections?.version) return undefined;
    if (connections !== this.versionOf) {
      this.versionOf = connections;
      this.openings++;
    }
    return this.openings * VERSIONS_PER_OPENING + connections.version();
  }

  /**
   * As `version`, where that has to be asked for: a text that differs after each commit. Undefined inside transactions,
   * and where asking costs as much as reading.
   */
  state(): Promise<string> | undefined {
    return this.transactions.current ? undefined : this.lifecycle.opened?.state?.();
  }

  /**
   * As `rows`, for statements written by people inside a transaction, where nothing can be cut off: undefined when the
   * statement might take long. Without a transaction it runs and is cut off at the limit.
   */
  async rowsWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    const scope = this.transactions.current;
    return scope ? this.watch.run(statement, () => scope.readWithinBudget<Row>(statement)) : this.rows<Row>(statement);
  }

  /** Reading statements that took longest, the slowest first; none where the database does not tell. */
  async slowest(): Promise<readonly SlowStatement[]> {
    return this.lifecycle.use((connections) => connections.slowest?.() ?? []);
  }
}
