import type { AmbientTransactions } from './ambient-transactions.js';
import { TableVersions } from './table-versions.js';
import type { AfterWork, CommitWatch } from './transaction-scope.js';

/** For whoever keeps what it once read: versions of tables, and word of what was committed by something else. */
export class DatabaseChanges {
  private readonly versions = new TableVersions();
  private readonly definitionReaders = new Set<AfterWork>();
  private readonly externalListeners = new Set<AfterWork>();
  private readonly outsideWatches = new Set<CommitWatch>();
  private telling: Promise<void> = Promise.resolve();

  constructor(private readonly transactions: () => AmbientTransactions) {}

  /**
   * A text that changes whenever one of the tables may have changed, also by another process (within half a second).
   * Without tables it changes with every commit.
   */
  version(tables: readonly string[]): string {
    return this.versions.of(tables);
  }

  /** Counts a commit; undefined stands for all tables. */
  count(tables: Iterable<string> | undefined): void {
    this.versions.count(tables);
  }

  /**
   * Calls back after something else has committed: another process, at most half a second later, or the SQL console,
   * before its answer. Returns how to stop that.
   */
  onExternalChange(listener: AfterWork): () => void {
    this.externalListeners.add(listener);
    return () => this.externalListeners.delete(listener);
  }

  /**
   * Calls back before everybody whom `onExternalChange` tells. No transaction goes on, none that noticed the change
   * and none after it, before the listener is done: it must only read.
   */
  onForeignDefinitions(listener: AfterWork): void {
    this.definitionReaders.add(listener);
  }

  /**
   * As `CommitWork.aroundCommit`, for what this process commits without a transaction of its own: scripts, exchanged
   * files.
   */
  aroundOutsideCommits(watch: CommitWatch): void {
    this.outsideWatches.add(watch);
  }

  /** Something else has committed. Resolves when definitions have been read again; the others are told after that. */
  tell(): Promise<void> {
    this.versions.count(undefined);
    const transactions = this.transactions();
    const definitions = Promise.resolve(transactions.runAll([...this.definitionReaders]));
    this.telling = definitions.then(() => transactions.runAll([...this.externalListeners]));
    return definitions;
  }

  /** Resolves when everybody has been told. */
  get told(): Promise<void> {
    return this.telling;
  }

  /** Runs work that commits without a transaction; with `later` the commit comes when the work says so. */
  async watch<T>(
    work: (committing: () => void) => Promise<T>,
    { later = false }: { readonly later?: boolean } = {},
  ): Promise<T> {
    const ends: (() => void)[] = [];
    const begin = (): void => void ends.push(...[...this.outsideWatches].map((watch) => watch()));
    if (!later) begin();
    try {
      return await work(begin);
    } finally {
      for (const end of ends) end();
    }
  }
}
