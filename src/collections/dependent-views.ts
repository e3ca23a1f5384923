import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { SchemaSync } from '../database/schema-sync.js';
import type { Clock } from '../kernel/clock.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { SchemaChange } from '../kernel/collections/collection-diff.js';
import { Collection } from '../kernel/collections/collection.js';
import { formatDateTime } from '../kernel/date-time.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import type { CatalogChange } from './catalog-change.js';
import { SqlViews } from './sql-views.js';
import { ViewQueryError } from './view-query.error.js';

/** Takes SQL views out of the way of a change of tables, and puts them back as they are to be afterwards (COL-118). */
@Injectable()
export class DependentViews {
  private readonly logger = new Logger('Collections');

  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly views: SqlViews,
    private readonly types: FieldTypeRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Drops the SQL views in the way of the change. Gives the ids of those that were there, that is, that worked. */
  async drop(change: CatalogChange): Promise<ReadonlySet<string>> {
    const present = await this.schema.takenNames();
    const views = change.viewsBefore().filter((view) => present.has(view.name.toLowerCase()));
    for (const view of views) await this.views.drop(view);
    return new Set(views.map((view) => view.id));
  }

  /**
   * Creates the SQL views the change calls for. Gives the catalog after the change, with the fields that views have
   * now. Throws ViewQueryError for a view of the change itself, and a ValidationError when another one that worked
   * needs a removed field; one that a rename or a change taken back has left behind keeps its definition and has no
   * SQL view.
   */
  async create(change: CatalogChange, worked: ReadonlySet<string>): Promise<CatalogSnapshot> {
    let catalog = change.after;
    const lost: Collection[] = [];
    for (const view of change.viewsAfter()) {
      try {
        const created = change.isSaved(view)
          ? await this.views.createNew(view, catalog)
          : await this.views.create(view, catalog);
        if (change.isUntried(view)) await this.views.requireIds(created);
        catalog = catalog.with([this.stamped(created, view)]);
      } catch (error) {
        if (!(error instanceof ViewQueryError) || change.isNeeded(view)) throw error;
        lost.push(view);
      }
    }
    await this.requireOnlyRenamed(
      change,
      lost.filter((view) => worked.has(view.id)),
    );
    return catalog;
  }

  private async requireOnlyRenamed(change: CatalogChange, lost: readonly Collection[]): Promise<void> {
    if (lost.length === 0) return;
    const views = (await this.needingRemoved(change, lost)).map((view) => view.name);
    if (views.length > 0) {
      const message = `Views need a field that was removed: ${views.join(', ')}.`;
      throw new ValidationError({ fields: fieldError('validation_field_view_reference', { views }, message) }, message);
    }
    const names = lost.map((view) => view.name).join(', ');
    this.database.afterCommit(() => {
      this.logger.warn(`The queries of these views no longer fit the collections they read: ${names}.`);
    });
  }

  /** Puts the removed columns back for a moment and looks which of the lost views that brings back. */
  private async needingRemoved(change: CatalogChange, lost: readonly Collection[]): Promise<Collection[]> {
    const returning = removedColumns(change);
    if (returning.length === 0 || change.asBefore) return [];
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
    if (created === view) return created;
    return new Collection({ ...created.toData(), updated: formatDateTime(this.clock.now()) }, this.types);
  }
}

function removedColumns(change: CatalogChange): SchemaChange[] {
  return change.saved.flatMap((after) => {
    const before = change.before.findById(after.id);
    if (!before || before.isView) return [];
    const names = new Set(after.fields.map((field) => field.name.toLowerCase()));
    return before.fields
      .filter((field) => !after.fieldById(field.id) && !names.has(field.name.toLowerCase()))
      .map((field): SchemaChange => {
        return { kind: 'addColumn', table: after.name, column: { name: field.name, kind: 'text' } };
      });
  });
}
