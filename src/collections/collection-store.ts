import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { TimeSlices } from '../database/time-slices.js';
import { StoredVersions } from '../database/stored-versions.js';
import { CollectionRows } from './collection-rows.js';
import { learnNames } from './learn-names.js';

/** A commit whose outcome is not known, so that it is unknown which catalog fits the tables. */
interface PendingCommit {
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * The definitions of all collections, in memory. The catalog is immutable and replaced as a whole once a change is
 * committed; until then only the transaction that makes the change sees the new one.
 *
 * Whoever waits for anything between two looks at it may see two versions, or tables it does not fit:
 * - what reads records or definitions for one answer goes through CatalogReader (answers of records and of signing in,
 *   files, messages of realtime, accounts, lists of collections);
 * - what writes looks at it inside the transaction, where nobody else can replace it (records, truncation, batches,
 *   changes of collections);
 * - what needs definitions and no tables takes `catalog` once (OpenAPI, declarations, snapshots, guards).
 *
 * Another process cannot announce its changes. A transaction begins with what that has committed, and a read that
 * fails over a missing table or column is made again with it; one that does not fail, because a name has come to mean
 * something else, may go by the definitions before for as long as it takes to notice, half a second at most (OPS-175).
 */
@Injectable()
export class CollectionStore {
  private current = new CatalogSnapshot([]);
  /** The current catalog; undefined while a commit is pending. */
  private settled: CatalogSnapshot | undefined = this.current;
  private pendingCommit: PendingCommit | undefined;
  private pendingCount = 0;
  /** The catalogs a running transaction has made, one for each change so far. */
  private readonly staged = new WeakMap<object, readonly CatalogSnapshot[]>();
  private publications = 0;
  /** The version of the definitions that were read last. */
  private version: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly rows: CollectionRows,
    private readonly versions: StoredVersions,
  ) {
    // A command beside the running server, or another process that serves, may have changed collections (OPS-175).
    database.changes.onForeignDefinitions(() => this.follow());
    database.changes.aroundOutsideCommits(() => this.markPending());
  }

  /** The catalog of the ambient transaction, or the last committed one. */
  get catalog(): CatalogSnapshot {
    const transaction = this.database.transactions.key;
    return (transaction && this.staged.get(transaction)?.at(-1)) ?? this.current;
  }

  /**
   * Whether this is the current catalog, outside of a transaction. False also from before a commit is sent until its
   * catalog is published here, because the tables may be the new ones already.
   */
  isCurrent(catalog: CatalogSnapshot): boolean {
    return this.settled === catalog;
  }

  /** Resolves when no commit is pending. A commit takes milliseconds. */
  async whenSettled(): Promise<void> {
    while (this.pendingCommit) await this.pendingCommit.over;
  }

  /** Reads all definitions, at start and when another process wrote. What has not changed stays the same object. */
  async load(): Promise<void> {
    const endPending = this.markPending();
    try {
      for (;;) {
        const before = this.publications;
        this.version = await this.versions.of('_collections');
        await this.rows.encryptPlain();
        const read = await this.rows.readAll();
        const catalog = await renewed(this.current, read);
        // A catalog was published meanwhile, which may be newer than what was read.
        if (this.publications !== before) continue;
        learnNames(this.database, read);
        this.current = catalog;
        return;
      }
    } finally {
      endPending();
    }
  }

  /** Makes a catalog the one of the ambient transaction, and at its commit the one of everybody. */
  stage(catalog: CatalogSnapshot): void {
    const transaction = this.database.transactions.key;
    if (transaction) this.push(transaction, catalog);
    this.database.commitWork.aroundCommit(() => this.markPending());
    this.database.onCommit(() => {
      this.current = catalog;
      this.publications++;
      if (!this.pendingCommit) this.settled = catalog;
    });
  }

  /** Reads the definitions again after a commit of another process, when that changed them. */
  private async follow(): Promise<void> {
    if ((await this.versions.of('_collections')) !== this.version) await this.load();
  }

  /** Marks a commit as pending; gives the function that ends it. Several may overlap. */
  private markPending(): () => void {
    this.pendingCount++;
    this.settled = undefined;
    this.pendingCommit ??= newPendingCommit();
    return () => {
      if (--this.pendingCount > 0) return;
      const { pendingCommit } = this;
      this.pendingCommit = undefined;
      this.settled = this.current;
      pendingCommit?.end();
    };
  }

  private push(transaction: object, catalog: CatalogSnapshot): void {
    const earlier = this.stagedIn(transaction);
    this.staged.set(transaction, [...earlier, catalog]);
    // The rollback may be of a savepoint only.
    this.database.afterRollback(() => {
      this.staged.set(transaction, this.stagedIn(transaction).slice(0, earlier.length));
    });
  }

  private stagedIn(transaction: object): readonly CatalogSnapshot[] {
    return this.staged.get(transaction) ?? [];
  }
}

function newPendingCommit(): PendingCommit {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { over, end };
}

/** The catalog with these definitions: the same one when they are the same, with all that was derived from it. */
async function renewed(before: CatalogSnapshot, read: readonly Collection[]): Promise<CatalogSnapshot> {
  const collections: Collection[] = [];
  const slices = new TimeSlices();
  for (const collection of read) {
    const known = before.findById(collection.id);
    collections.push(known && isDeepStrictEqual(known.toData(), collection.toData()) ? known : collection);
    await slices.pause();
  }
  const present = before.all();
  const isSame = present.length === collections.length && collections.every((each, index) => each === present[index]);
  return isSame ? before : new CatalogSnapshot(collections);
}
