import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { StoredVersions } from '../database/stored-versions.js';
import { CollectionRows } from './collection-rows.js';

/** A time in which it is not known which catalog the tables fit. */
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
  /** The catalog in force; undefined as long as there is any doubt about it. */
  private certain: CatalogSnapshot | undefined = this.current;
  private doubt: PendingCommit | undefined;
  private doubts = 0;
  /** What a running transaction has made of the catalog, one entry for each change so far. */
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
    database.changes.aroundOutsideCommits(() => this.beginDoubt());
  }

  /** The collections as they are for whoever asks: those of the ambient transaction, or the last committed ones. */
  get catalog(): CatalogSnapshot {
    const transaction = this.database.transactions.key;
    return (transaction && this.staged.get(transaction)?.at(-1)) ?? this.current;
  }

  /**
   * Is this the catalog in force, outside of a transaction? False also while a change is being committed, from before
   * the commit is asked for until it is published here: the tables may be the new ones already.
   */
  isCurrent(catalog: CatalogSnapshot): boolean {
    return this.certain === catalog;
  }

  /** Resolves when it is known which catalog is in force. A commit takes milliseconds. */
  async whenSettled(): Promise<void> {
    while (this.doubt) await this.doubt.over;
  }

  /** Reads all definitions, at start and when another process wrote. What has not changed stays the same object. */
  async load(): Promise<void> {
    const endDoubt = this.beginDoubt();
    try {
      for (;;) {
        const before = this.publications;
        this.version = await this.versions.of('_collections');
        await this.rows.encryptPlain();
        const read = await this.rows.readAll();
        // What was read may be older than what was committed meanwhile.
        if (this.publications !== before) continue;
        this.current = renewed(this.current, read);
        return;
      }
    } finally {
      endDoubt();
    }
  }

  /** Something else has committed: reads the definitions again when it was about them. */
  private async follow(): Promise<void> {
    if ((await this.versions.of('_collections')) !== this.version) await this.load();
  }

  /** Makes a catalog the one of the ambient transaction, and at its commit the one of everybody. */
  stage(catalog: CatalogSnapshot): void {
    const transaction = this.database.transactions.key;
    if (transaction) this.push(transaction, catalog);
    this.database.commitWork.aroundCommit(() => this.beginDoubt());
    this.database.onCommit(() => {
      this.current = catalog;
      this.publications++;
      if (!this.doubt) this.certain = catalog;
    });
  }

  /** Gives what ends the doubt. Several may overlap. */
  private beginDoubt(): () => void {
    this.doubts++;
    this.certain = undefined;
    this.doubt ??= newDoubt();
    return () => {
      if (--this.doubts > 0) return;
      const { doubt } = this;
      this.doubt = undefined;
      this.certain = this.current;
      doubt?.end();
    };
  }

  private push(transaction: object, catalog: CatalogSnapshot): void {
    const earlier = this.stagedIn(transaction);
    this.staged.set(transaction, [...earlier, catalog]);
    // Only a part of the transaction may be undone.
    this.database.afterRollback(() => {
      this.staged.set(transaction, this.stagedIn(transaction).slice(0, earlier.length));
    });
  }

  private stagedIn(transaction: object): readonly CatalogSnapshot[] {
    return this.staged.get(transaction) ?? [];
  }
}

function newDoubt(): PendingCommit {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { over, end };
}

/** The catalog with these definitions: the same one when they are the same, with all that was derived from it. */
function renewed(before: CatalogSnapshot, read: readonly Collection[]): CatalogSnapshot {
  const collections = read.map((collection) => {
    const known = before.findById(collection.id);
    return known && isDeepStrictEqual(known.toData(), collection.toData()) ? known : collection;
  });
  const present = before.all();
  const isSame = present.length === collections.length && collections.every((each, index) => each === present[index]);
  return isSame ? before : new CatalogSnapshot(collections);
}
