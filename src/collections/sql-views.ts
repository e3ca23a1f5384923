import { Injectable } from '@nestjs/common';
import { DatabaseError } from '../database/database.error.js';
import type { SqlView } from '../database/schema-ddl.js';
import { SchemaSync } from '../database/schema-sync.js';
import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import { Collection } from '../kernel/collections/collection.js';
import { SqlTextError } from '../kernel/collections/sql-text.error.js';
import { parseViewQuery } from '../kernel/collections/view-query.js';
import { checkFieldName } from '../kernel/fields/check-field-definition.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { tryWithTexts } from './double-quoted-texts.js';
import { ViewFields } from './view-fields.js';
import { ViewQueryError } from './view-query.error.js';

interface DescribedView {
  readonly collection: Collection;
  readonly sql: SqlView;
}

/** Rows of a new view whose ids are looked at (COL-131). */
const CHECKED_ROWS = 10;

/** The SQL views behind view collections: what their columns are, and whether they can be created at all. */
@Injectable()
export class SqlViews {
  constructor(
    private readonly schema: SchemaSync,
    private readonly types: FieldTypeRegistry,
  ) {}

  /**
   * A collection that is to be stored, with the fields its query yields and the texts in it in single quotes. The query
   * is compiled, not run, and no SQL view remains. Throws ViewQueryError when the query breaks a rule of COL-131 or
   * does not fit the schema.
   */
  async infer(view: Collection, catalog: CollectionCatalog): Promise<Collection> {
    return (await this.describeNew(view, catalog)).collection;
  }

  /** As `infer`, and creates the SQL view. */
  async createNew(view: Collection, catalog: CollectionCatalog): Promise<Collection> {
    return this.createSql(await this.describeNew(view, catalog));
  }

  /** Creates the SQL view of a stored collection. Gives it with the fields its query yields now; throws as `infer`. */
  async create(view: Collection, catalog: CollectionCatalog): Promise<Collection> {
    return this.createSql(await this.described(view, catalog));
  }

  async drop(view: Collection): Promise<void> {
    await this.schema.dropView(view.name);
  }

  /** Creates the SQL view of a stored collection anew, with further columns that hold nothing. */
  async addColumns(view: Collection, names: readonly string[]): Promise<void> {
    const { select } = parseViewQuery(view.viewQuery ?? '');
    await this.drop(view);
    await this.schema.createView({ name: view.name, select, emptyColumns: names });
  }

  /**
   * Runs a view that was just created far enough to see that its first ids are neither empty nor repeated. One that
   * might go on for long is not run: it could not be cut off here, as it will be when somebody reads it.
   */
  async requireIds(view: Collection): Promise<void> {
    try {
      requireIds((await this.schema.firstIds(view.name, CHECKED_ROWS)) ?? []);
    } catch (error) {
      throw asQueryError(view, error);
    }
  }

  private async createSql({ collection, sql }: DescribedView): Promise<Collection> {
    await this.schema.createView(sql);
    return collection;
  }

  private async describeNew(view: Collection, catalog: CollectionCatalog): Promise<DescribedView> {
    try {
      return await tryWithTexts(view.viewQuery ?? '', (viewQuery) =>
        this.describe(withQuery(view, viewQuery, this.types), catalog),
      );
    } catch (error) {
      throw asQueryError(view, error);
    }
  }

  private async described(view: Collection, catalog: CollectionCatalog): Promise<DescribedView> {
    try {
      return await this.describe(view, catalog);
    } catch (error) {
      throw asQueryError(view, error);
    }
  }

  private async describe(view: Collection, catalog: CollectionCatalog): Promise<DescribedView> {
    const query = parseViewQuery(view.viewQuery ?? '');
    if (query.tables.some((table) => table.toLowerCase() === view.name.toLowerCase())) {
      throw new SqlTextError('A view cannot read itself.');
    }
    const columns = await this.schema.columnNames(query.select);
    requireColumnNames(columns);
    const fields = new ViewFields(query, catalog, this.types);
    const castsId = !fields.hasTextId(columns);
    const collection = withFields(view, fields.infer(columns), this.types);
    const kinds = new Map(collection.fields.map((field) => [field.name, this.types.get(field.type).column(field)]));
    return { collection, sql: { name: view.name, select: query.select, columns, castsId, kinds } };
  }
}

/** Throws SqlTextError unless the columns can be the fields of a view (COL-131). */
export function requireColumnNames(names: readonly string[]): void {
  if (!names.includes('id')) throw new SqlTextError('There has to be a column "id".');
  const seen = new Set<string>();
  for (const name of names) {
    if (checkFieldName(name)) throw new SqlTextError(`The column "${name}" needs a valid name, given with AS.`);
    if (seen.has(name.toLowerCase())) throw new SqlTextError(`The column "${name}" occurs twice.`);
    seen.add(name.toLowerCase());
  }
}

/** Throws SqlTextError when one of these cannot be the id of a record, or occurs twice (COL-131). */
export function requireIds(ids: readonly unknown[]): void {
  const texts = ids.map((id) => String(id ?? ''));
  if (texts.includes('')) throw new SqlTextError('Some ids are empty.');
  if (new Set(texts).size < texts.length) throw new SqlTextError('Some ids occur more than once.');
}

function withQuery(view: Collection, viewQuery: string, types: FieldTypeRegistry): Collection {
  return viewQuery === view.viewQuery ? view : new Collection({ ...view.toData(), viewQuery }, types);
}

function withFields(view: Collection, fields: readonly FieldDefinition[], types: FieldTypeRegistry): Collection {
  return JSON.stringify(fields) === JSON.stringify(view.fields)
    ? view
    : new Collection({ ...view.toData(), fields }, types);
}

function asQueryError(view: Collection, error: unknown): unknown {
  if (error instanceof SqlTextError || error instanceof DatabaseError) {
    return new ViewQueryError(view, error.message, { cause: error });
  }
  return error;
}
