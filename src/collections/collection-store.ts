import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { CollectionRows } from './collection-rows.js';

/**
 * The definitions of all collections, in memory. The catalog is immutable and replaced as a whole once a change is
 * committed; until then only the transaction that makes the change sees the new one.
 *
 * Take `catalog` once and pass it on: two looks at it in one request may show two versions.
 */
@Injectable()
export class CollectionStore {
  private current = new CatalogSnapshot([]);
  /** What a running transaction has made of the catalog, one entry for each change so far. */
  private readonly staged = new WeakMap<object, readonly CatalogSnapshot[]>();
  private publications = 0;

  constructor(
    private readonly database: Database,
    private readonly rows: CollectionRows,
  ) {
    // A command beside the running server may have changed collections (OPS-175).
    database.onExternalChange(() => this.load());
  }

  /** The collections as they are for whoever asks: those of the ambient transaction, or the last committed ones. */
  get catalog(): CatalogSnapshot {
    const transaction = this.database.transactionKey;
    return (transaction && this.staged.get(transaction)?.at(-1)) ?? this.current;
  }

  /** Reads all definitions, at start and when another process wrote. */
  async load(): Promise<void> {
    const before = this.publications;
    const catalog = new CatalogSnapshot(await this.rows.readAll());
    // What was read may be older than what was committed meanwhile.
    if (this.publications !== before) await this.load();
    else this.current = catalog;
  }

  /** Makes a catalog the one of the ambient transaction, and at its commit the one of everybody. */
  stage(catalog: CatalogSnapshot): void {
    const transaction = this.database.transactionKey;
    if (transaction) this.push(transaction, catalog);
    this.database.onCommit(() => {
      this.current = catalog;
      this.publications++;
    });
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
