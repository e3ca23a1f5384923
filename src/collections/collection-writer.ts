import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { SchemaSync } from '../database/schema-sync.js';
import { TimeSlices } from '../database/time-slices.js';
import { EVENT_BUS, type EventBus } from '../events/event-bus.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { column, compare, param } from '../kernel/sql/sql.js';
import { ACCOUNT_COLLECTIONS } from './account-collections.js';
import type { CatalogChange } from './catalog-change.js';
import { CollectionChanged } from './collection-changed.event.js';
import { CollectionDeleted } from './collection-deleted.event.js';
import { CollectionRows } from './collection-rows.js';
import { CollectionStore } from './collection-store.js';
import { CollectionsDeleted, CollectionsRenamed } from './collection.hooks.js';
import { DependentViews } from './dependent-views.js';

/**
 * Carries out a change of the catalog: tables, indexes, SQL views, stored definitions, the catalog in memory and the
 * events, all of it in the ambient transaction. Whatever fails, nothing of it remains once that is rolled back.
 */
@Injectable()
export class CollectionWriter {
  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly views: DependentViews,
    private readonly rows: CollectionRows,
    private readonly store: CollectionStore,
    private readonly hooks: HookRegistry,
    @Inject(EVENT_BUS) private readonly events: EventBus,
  ) {}

  /**
   * Gives the catalog after the change, the fields of views as their queries yield them now.
   * Throws IndexRefusedError, ViewQueryError for a view of the change itself, and a ValidationError when a removed
   * field is needed by another view (COL-118).
   */
  async apply(change: CatalogChange): Promise<CatalogSnapshot> {
    const worked = await this.views.drop(change);
    await this.schema.apply(change.tableChanges());
    const after = await this.views.create(change, worked);
    await this.storeRows(change, after);
    this.store.stage(after);
    const names = change.renames();
    if (names.size > 0) await this.hooks.run(CollectionsRenamed, { names });
    if (change.removed.length > 0) await this.hooks.run(CollectionsDeleted, { collections: change.removed });
    this.tell(change, after);
    return after;
  }

  private async storeRows(change: CatalogChange, after: CatalogSnapshot): Promise<void> {
    if (change.removed.length > 0) await this.rows.delete(change.removed.map((collection) => collection.id));
    const slices = new TimeSlices();
    for (const collection of after.all()) {
      await slices.pause();
      const before = change.before.findById(collection.id);
      if (!before) await this.rows.insert(collection.toData());
      else if (before !== collection) await this.rows.update(collection.toData());
    }
    for (const collection of change.removed) await this.forgetAccounts(collection, after);
  }

  /** COL-90: what signing in has left for the accounts of a deleted auth collection goes with it. */
  private async forgetAccounts(collection: Collection, after: CatalogSnapshot): Promise<void> {
    if (!collection.isAuth) return;
    for (const name of ACCOUNT_COLLECTIONS) {
      if (!after.find(name)) continue;
      const where = compare(column(name, 'collectionRef'), '=', param(collection.id));
      await this.database.run({ kind: 'delete', from: name, where });
    }
  }

  private tell(change: CatalogChange, after: CatalogSnapshot): void {
    for (const collection of change.removed) this.events.publish(new CollectionDeleted(collection));
    for (const collection of after.all()) {
      const before = change.before.findById(collection.id);
      if (before !== collection) this.events.publish(new CollectionChanged(before, collection));
    }
  }
}
