import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import { changesByItself } from '../kernel/collections/view-query.js';
import type { BoundSql } from '../kernel/sql/bound-sql.js';

/** Views that change without a write, because they ask for the time or for chance: nothing read from them is kept. */
@Injectable()
export class RestlessViews {
  private readonly restless = new WeakMap<CollectionCatalog, boolean>();

  constructor(private readonly store: CollectionStore) {}

  /** Does the statement read a view at all? */
  readsView({ tables }: BoundSql): boolean {
    const { catalog } = this.store;
    return tables.some((table) => catalog.find(table)?.isView);
  }

  /** May the statement give something else although nothing was written? */
  mayChange(statement: BoundSql): boolean {
    return this.readsView(statement) && this.isRestless(this.store.catalog);
  }

  /** Is there a view that changes without a write? Then any view may, as it may read that one. */
  private isRestless(catalog: CollectionCatalog): boolean {
    let restless = this.restless.get(catalog);
    if (restless === undefined) {
      restless = catalog.all().some(({ viewQuery }) => viewQuery !== undefined && changesByItself(viewQuery));
      this.restless.set(catalog, restless);
    }
    return restless;
  }
}
