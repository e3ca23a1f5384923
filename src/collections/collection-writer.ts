import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { SchemaSync } from '../database/schema-sync.js';
import { EVENT_BUS, type EventBus } from '../events/event-bus.js';
import type { Clock } from '../kernel/clock.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { SchemaChange } from '../kernel/collections/collection-diff.js';
import { Collection } from '../kernel/collections/collection.js';
import { formatDateTime } from '../kernel/date-time.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { ACCOUNT_COLLECTIONS } from './account-collections.js';
import type { CatalogChange } from './catalog-change.js';
import { CollectionChanged } from './collection-changed.event.js';
import { CollectionDeleted } from './collection-deleted.event.js';
import { CollectionRows } from './collection-rows.js';
import { CollectionStore } from './collection-store.js';
import { SqlViews } from './sql-views.js';
import { ViewQueryError } from './view-query.error.js';

/**
 * Carries out a change of the catalog: tables, indexes, SQL views, stored definitions, the catalog in memory and the
 * events, all of it in the ambient transaction. Whatever fails, nothing of it remains once that is rolled back.
 */
@Injectable()
export class CollectionWriter {
  private readonly logger = new Logger('Collections');

  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly views: SqlViews,
    private readonly rows: CollectionRows,
    private readonly store: CollectionStore,
    private readonly types: FieldTypeRegistry,
    @Inject(EVENT_BUS) private readonly events: EventBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Gives the catalog after the change, the fields of views as their queries yield them now.
   * Throws IndexRefusedError, ViewQueryError for a view of the change itself, and a ValidationError when a removed
   * field is needed by another view (COL-118).
   */
  async apply(change: CatalogChange): Promise<CatalogSnapshot> {
    const working = await this.dropViews(change);
    await this.schema.apply(change.tableChanges());
    const after = await this.createViews(change, working);
    await this.storeRows(change, after);
    this.store.stage(after);
    this.tell(change, after);
    return after;
  }

  /** Tables cannot change under SQL views. Gives the views that worked so far. */
  private async dropViews(change: CatalogChange): Promise<ReadonlySet<string>> {
    const present = await this.schema.takenNames();
    const views = change.viewsBefore().filter((view) => present.has(view.name.toLowerCase()));
    for (const view of views) await this.views.drop(view);
    return new Set(views.map((view) => view.id));
  }

  private async createViews(change: CatalogChange, working: ReadonlySet<string>): Promise<CatalogSnapshot> {
    let catalog = change.after;
    const lost: Collection[] = [];
    for (const view of change.viewsAfter()) {
      try {
        const created = await this.views.create(view, catalog);
        if (change.isSaved(view)) await this.views.requireIds(created);
        catalog = catalog.with([this.stamped(created, view)]);
      } catch (error) {
        if (!(error instanceof ViewQueryError) || change.isSaved(view)) throw error;
        lost.push(view);
      }
    }
    await this.requireNotRemoved(
      change,
      lost.filter((view) => working.has(view.id)),
    );
    return catalog;
  }

  /** COL-118: a view may be left behind by a rename, but not by the removal of a field. */
  private async requireNotRemoved(change: CatalogChange, lost: readonly Collection[]): Promise<void> {
    if (lost.length === 0) return;
    const needing = await this.viewsNeedingRemoved(change, lost);
    if (needing.length > 0) {
      const views = needing.map((view) => view.name);
      const message = `Views need a field that was removed: ${views.join(', ')}.`;
      throw new ValidationError({ fields: fieldError('validation_field_view_reference', { views }, message) }, message);
    }
    const names = lost.map((view) => view.name).join(', ');
    this.logger.warn(`The queries of these views no longer fit the collections they read: ${names}.`);
  }

  /** Puts the removed columns back for a moment and looks which of the lost views that brings back. */
  private async viewsNeedingRemoved(change: CatalogChange, lost: readonly Collection[]): Promise<Collection[]> {
    const returning = removedColumns(change);
    if (returning.length === 0) return [];
    return this.schema.rehearse(async () => {
      await this.schema.apply(returning);
      const brought: Collection[] = [];
      for (const view of lost) {
        try {
          await this.views.create(view, change.after);
          brought.push(view);
        } catch (error) {
          if (!(error instanceof ViewQueryError)) throw error;
        }
      }
      return brought;
    });
  }

  private stamped(created: Collection, view: Collection): Collection {
    if (created.fields === view.fields) return created;
    return new Collection({ ...created.toData(), updated: formatDateTime(this.clock.now()) }, this.types);
  }

  private async storeRows(change: CatalogChange, after: CatalogSnapshot): Promise<void> {
    if (change.removed.length > 0) await this.rows.delete(change.removed.map((collection) => collection.id));
    for (const collection of after.all()) {
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
      const sql = `DELETE FROM ${this.database.dialect.quote(name)} WHERE ${this.database.dialect.quote('collectionRef')} = ?`;
      await this.database.run({ sql, params: [collection.id], writes: [name] });
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

function removedColumns(change: CatalogChange): SchemaChange[] {
  return change.saved.flatMap((after) => {
    const before = change.before.findById(after.id);
    if (!before || before.isView) return [];
    const names = new Set(after.fields.map((field) => field.name.toLowerCase()));
    return before.fields
      .filter((field) => !after.fieldById(field.id) && !names.has(field.name.toLowerCase()))
      .map((field) => ({
        kind: 'addColumn' as const,
        table: after.name,
        column: { name: field.name, kind: 'text' as const },
      }));
  });
}
