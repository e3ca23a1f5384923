import type { AmbientTransactions } from './ambient-transactions.js';
import { TableVersions } from './table-versions.js';
import type { AfterWork, CommitWatch } from './transaction-scope.js';

/** For caches of what was read: versions of tables, and callbacks for commits of other processes. */
export class DatabaseChanges {
  private readonly versions = new TableVersions();
  private readonly definitionReaders = new Set<AfterWork>();
  private readonly definitionFollowers = new Set<AfterWork>();
  private readonly externalListeners = new Set<AfterWork>();
  private readonly outsideWatches = new Set<CommitWatch>();
  private following: Promise<void> = Promise.resolve();
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
   * Calls back before the listeners of `onExternalChange`. No transaction goes on, neither the one that noticed the
   * change nor any after it, before the listener is done: it must only read.
   */
  onForeignDefinitions(listener: AfterWork): void {
    this.definitionReaders.add(listener);
  }

  /** As `onForeignDefinitions`, for what needs the definitions to have been read. */
  afterForeignDefinitions(listener: AfterWork): void {
    this.definitionFollowers.add(listener);
  }

  /** Has the definitions of now read, whether or not anything is known to have changed. Waits for nothing else. */
  followDefinitions(): Promise<void> {
    // One after the other, so that what was read last is what stays.
    return (this.following = this.following.then(() => this.transactions().runAll([...this.definitionReaders])));
  }

  /**
   * As `CommitWork.aroundCommit`, for commits of this process outside of its transactions: scripts, exchanged files.
   */
  aroundOutsideCommits(watch: CommitWatch): void {
    this.outsideWatches.add(watch);
  }

  /**
   * Called after a commit of another process. Resolves when definitions have been read again; other listeners are
   * called after that.
   */
  tell(): Promise<void> {
    this.versions.count(undefined);
    const transactions = this.transactions();
    const followed = this.followDefinitions().then(() => transactions.runAll([...this.definitionFollowers]));
    this.telling = followed.then(() => transactions.runAll([...this.externalListeners]));
    return followed;
  }

  /** Resolves when all listeners have been called. */
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
