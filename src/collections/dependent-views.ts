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

/** Drops the SQL views that are in the way of a change of tables, and creates them again afterwards (COL-118). */
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

  /**
   * Drops the SQL views that depend on the change. Gives the ids of those that existed, that is, that worked before.
   */
  async drop(change: CatalogChange): Promise<ReadonlySet<string>> {
    const present = await this.schema.takenNames();
    const views = change.viewsBefore().filter((view) => present.has(view.name.toLowerCase()));
    for (const view of views) await this.views.drop(view);
    return new Set(views.map((view) => view.id));
  }

  /**
   * Creates the SQL views the change calls for. Gives the catalog after the change, with the fields that views have
   * now. Throws ViewQueryError for a view of the change itself, and a ValidationError when another one that worked
   * needs a removed field or a column that a query does not give any more; one that a rename or a change taken back has
   * left behind keeps its definition and has no SQL view.
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
    const lostNow = lost.filter((view) => worked.has(view.id));
    if (lostNow.length > 0) await this.requireOnlyRenamed(change, catalog, lostNow);
    return catalog;
  }

  private async requireOnlyRenamed(
    change: CatalogChange,
    catalog: CatalogSnapshot,
    lost: readonly Collection[],
  ): Promise<void> {
    const removals = change.asBefore ? [] : removedFields(change, catalog);
    const views = (await this.needing(removals, catalog, lost)).map((view) => view.name);
    if (views.length > 0) {
      const message = `Views need a field that was removed: ${views.join(', ')}.`;
      // The error belongs to the query of the view when its fields are meant, because only the query can be corrected.
      const property = removals.every(({ collection }) => collection.isView) ? 'viewQuery' : 'fields';
      throw new ValidationError(
        { [property]: fieldError('validation_field_view_reference', { views }, message) },
        message,
      );
    }
    const names = lost.map((view) => view.name).join(', ');
    this.database.afterCommit(() => {
      this.logger.warn(`The queries of these views no longer fit the collections they read: ${names}.`);
    });
  }

  /** The views that work again when the removed fields are put back, tried in a dry run. */
  private async needing(
    removals: readonly Removal[],
    catalog: CatalogSnapshot,
    lost: readonly Collection[],
  ): Promise<Collection[]> {
    if (removals.length === 0) return [];
    return this.schema.dryRun(async () => {
      for (const { collection, names } of removals) {
        if (collection.isView) await this.views.addColumns(collection, names);
        else await this.schema.apply(names.map((name) => addColumn(collection.name, name)));
      }
      const brought: Collection[] = [];
      for (const view of lost) {
        try {
          await this.views.create(view, catalog);
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

/** The names of fields that a saved collection had and has no more. */
interface Removal {
  readonly collection: Collection;
  readonly names: readonly string[];
}

function removedFields(change: CatalogChange, catalog: CatalogSnapshot): Removal[] {
  return change.saved.flatMap(({ id }) => {
    const before = change.before.findById(id);
    const collection = catalog.findById(id)!;
    if (!before) return [];
    const present = new Set(collection.fields.map((field) => field.name.toLowerCase()));
    const names = before.fields
      .filter((field) => !present.has(field.name.toLowerCase()))
      // A column of a view is identified by its name only, so a renamed one counts as removed.
      .filter((field) => collection.isView || !collection.fieldById(field.id))
      .map((field) => field.name);
    return names.length === 0 ? [] : [{ collection, names }];
  });
}

function addColumn(table: string, name: string): SchemaChange {
  return { kind: 'addColumn', table, column: { name, kind: 'text' } };
}
