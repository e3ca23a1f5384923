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
  /** What the running transaction has made of the catalog. Writers take turns, so there is at most one. */
  private staged: CatalogSnapshot | undefined;

  constructor(
    private readonly database: Database,
    private readonly rows: CollectionRows,
  ) {
    // A command beside the running server may have changed collections (OPS-175).
    database.onExternalChange(() => this.load());
  }

  /** The collections as they are for whoever asks: those of the ambient transaction, or the last committed ones. */
  get catalog(): CatalogSnapshot {
    return this.staged && this.database.inTransaction ? this.staged : this.current;
  }

  /** Reads all definitions, at start and when another process wrote. */
  async load(): Promise<void> {
    this.current = new CatalogSnapshot(await this.rows.readAll());
  }

  /** Makes a catalog the one of the ambient transaction, and after its commit the one of everybody. */
  stage(catalog: CatalogSnapshot): void {
    if (!this.staged) {
      this.database.afterCommit(() => this.publish());
      this.database.afterRollback(() => this.discard());
    }
    this.staged = catalog;
  }

  private publish(): void {
    this.current = this.staged ?? this.current;
    this.staged = undefined;
  }

  private discard(): void {
    this.staged = undefined;
  }
}
