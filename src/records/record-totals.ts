import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import { changesByItself } from '../kernel/collections/view-query.js';
import type { BoundSql } from '../kernel/sql/bound-sql.js';

/** Totals remembered at most. */
const REMEMBERED = 5_000;

interface Total {
  readonly version: string;
  readonly count: number;
}

/** How many records a list has: counted once, known until a table that the count reads may have changed. */
@Injectable()
export class RecordTotals {
  private readonly totals = new LRUCache<string, Total>({ max: REMEMBERED });
  private readonly restless = new WeakMap<CollectionCatalog, boolean>();

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  async count(statement: BoundSql): Promise<number> {
    if (this.database.inTransaction) return this.ask(statement);
    const { catalog } = this.store;
    const readsView = statement.tables.some((table) => catalog.find(table)?.isView);
    if (readsView && this.isRestless(catalog)) return this.ask(statement);
    const key = `${statement.sql}\0${JSON.stringify(statement.params)}`;
    // A view may read anything, so a total over one lives until the next commit.
    const version = this.database.version(readsView ? [] : statement.tables);
    const known = this.totals.get(key);
    if (known?.version === version) return known.count;
    const count = await this.ask(statement);
    // The version was taken before counting: a write that came between makes this total old at once.
    this.totals.set(key, { version, count });
    return count;
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

  private async ask(statement: BoundSql): Promise<number> {
    return (await this.database.get<{ total: number }>(statement))!.total;
  }
}
