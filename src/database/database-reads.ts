import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import { CachedReads } from './cached-reads.js';
import type { CompiledSql } from './compiled-sql.js';
import type { DatabaseLifecycle } from './database-lifecycle.js';
import type { DatabaseConnections } from './dialect.js';
import type { SlowStatement } from './slow-statements.js';
import type { StatementWatch } from './statement-watch.js';

/**
 * Reading statements: inside a transaction as it sees the rows, otherwise as last committed. What takes longer than the
 * query limit rejects with a 400. `Database.all` and `Database.get` are the everyday names of `rows`.
 */
export class DatabaseReads {
  private cache?: CachedReads;
  private cacheOf?: DatabaseConnections;

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

  /**
   * As `rows`, for what many ask in the same words: one run answers all of them until the next commit. Nobody may change
   * the rows. Not for what changes without a commit, such as a view of the current time.
   */
  cachedRows<Row>(statement: CompiledSql): MaybePromise<readonly Row[]> {
    return this.watch.run(statement, () => {
      const scope = this.transactions.current;
      return scope
        ? scope.read<Row>(statement)
        : this.lifecycle.use((connections) => {
            const cache = this.cacheFor(connections);
            return cache ? cache.read<Row>(statement) : connections.read<Row>(statement);
          });
    });
  }

  /** Are the rows that `cachedRows` gave kept for others? */
  isCached(rows: readonly unknown[]): boolean {
    return this.cache?.isCached(rows) ?? false;
  }

  /** Whether there is room for so many bytes of what was made of cached rows, for as long as these are kept. */
  reserveBeside(rows: readonly unknown[], bytes: number): boolean {
    return this.cache?.reserveBeside(rows, bytes) ?? false;
  }

  /**
   * As `rows`, for statements that came from people and are run inside a transaction, where nothing can be cut off:
   * undefined when one might go on for long. Without a transaction it is run, and cut off at the limit.
   */
  async rowsWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    const scope = this.transactions.current;
    return scope ? this.watch.run(statement, () => scope.readWithinBudget<Row>(statement)) : this.rows<Row>(statement);
  }

  /** Reading statements that took longest, the slowest first; none where the database does not tell. */
  async slowest(): Promise<readonly SlowStatement[]> {
    return this.lifecycle.use((connections) => connections.slowest?.() ?? []);
  }

  private cacheFor(connections: DatabaseConnections): CachedReads | undefined {
    if (this.cacheOf === connections) return this.cache;
    const { version } = connections;
    this.cacheOf = connections;
    this.cache = version && new CachedReads(version, (statement) => connections.read(statement));
    return this.cache;
  }
}
