import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { Collection } from '../kernel/collections/collection.js';
import { isConcealed, isNeverShown } from '../kernel/collections/shown-fields.js';
import { SqlTextError } from '../kernel/collections/sql-text.error.js';
import type { TableColumn, ViewColumn, ViewColumnOrigin } from '../kernel/collections/view-column.js';
import { traceViewColumns } from '../kernel/collections/view-columns.js';
import { parseViewQuery, type ViewQuery } from '../kernel/collections/view-query.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../kernel/fields/normalize-field-definition.js';
import { DEFAULT_ID_PATTERN } from '../kernel/fields/primary-key.js';
import { checksumId } from '../kernel/ids.js';

/** A field of a collection that a column of a view shows as it is. */
export interface ViewFieldSource {
  readonly collection: Collection;
  readonly field: FieldDefinition;
}

/** What becomes a field as soon as the column has a name: a copy of another one, or a new one. */
type Shape =
  | ({ readonly kind: 'copy' } & ViewFieldSource)
  | { readonly kind: 'new'; readonly type: string; readonly options?: Readonly<Record<string, unknown>> };

const JSON_SHAPE: Shape = { kind: 'new', type: 'json' };
const TEXT_SHAPE: Shape = { kind: 'new', type: 'text' };
const NUMBER_SHAPE: Shape = { kind: 'new', type: 'number' };
const INTEGER_SHAPE: Shape = { kind: 'new', type: 'number', options: { onlyInt: true } };
const BOOL_SHAPE: Shape = { kind: 'new', type: 'bool' };

const CALLS: ReadonlyMap<string, Shape> = new Map([
  ['count', INTEGER_SHAPE],
  ['total', NUMBER_SHAPE],
]);
const CASTS: ReadonlyMap<string, Shape> = new Map([
  ['real', NUMBER_SHAPE],
  ['decimal', NUMBER_SHAPE],
  ['numeric', NUMBER_SHAPE],
  ['int', INTEGER_SHAPE],
  ['integer', INTEGER_SHAPE],
  ['text', TEXT_SHAPE],
  ['bool', BOOL_SHAPE],
  ['boolean', BOOL_SHAPE],
]);

/**
 * Secrets in system tables that are no collections, by table and column. SQLite's own tables may hold samples of any
 * value.
 */
const SYSTEM_SECRETS = /^(?:_params\.(?:value|\*)|_collections\.(?:options|\*)|sqlite_.*|pg_.*)$/i;

/** A column that was not found in the query. */
const UNTRACED: ViewColumn = { origin: { kind: 'other' }, reads: [], unknown: ['*'] };

/**
 * What the columns of a view query are, seen through the definitions of the collections it reads (COL-133, COL-134).
 */
export class ViewFields {
  readonly columns: readonly ViewColumn[];
  private readonly shapes = new Map<ViewColumnOrigin, Shape>();

  constructor(
    query: ViewQuery,
    private readonly catalog: CollectionCatalog,
    private readonly types: FieldTypeRegistry,
  ) {
    this.columns = traceViewColumns(query.tree, (table) => this.findByName(table)?.fields.map(({ name }) => name));
  }

  /** The fields of columns with these names, in the order of the query. Ids depend on name and source only. */
  infer(names: readonly string[]): FieldDefinition[] {
    const columns = this.columnsOf(names.length);
    const taken = new Set<string>();
    return names.map((name, index) => {
      const column = columns[index]!;
      const field = name === 'id' ? this.idField() : this.fieldOf(name, this.shapeOf(column.origin));
      const id = taken.has(field.id) ? checksumId(field.type, name, (candidate) => taken.has(candidate)) : field.id;
      taken.add(id);
      return { ...field, id, hidden: field.hidden || this.isHidden(column) };
    });
  }

  /**
   * These fields of the columns, hidden wherever what they are made of is (COL-134). Columns of a view that is broken,
   * because it reads what is not there any more, stay as they are.
   */
  hide(fields: readonly FieldDefinition[]): FieldDefinition[] {
    const columns = this.columnsOf(fields.length);
    return fields.map((field, at) =>
      !field.hidden && this.mayHide(columns[at]!) ? { ...field, hidden: true } : field,
    );
  }

  /** True when the column `id` is text in the database already, so that it need not be cast (COL-132). */
  hasTextId(names: readonly string[]): boolean {
    const column = this.columns[names.indexOf('id')];
    if (!column) return false;
    const origins = new Set([column.origin]);
    for (const origin of origins) if (origin.kind === 'compound') for (const arm of origin.arms) origins.add(arm);
    return [...origins].every((origin) => origin.kind === 'compound' || this.isText(origin));
  }

  /** The field that a column shows as it is; undefined for everything that is computed. */
  sourceOf(origin: ViewColumnOrigin): ViewFieldSource | undefined {
    const shape = this.shapeOf(origin);
    return shape.kind === 'copy' ? shape : undefined;
  }

  /** The fields that what a column reads may be. */
  fieldsOf({ table, column }: TableColumn): ViewFieldSource[] {
    const found = this.findByName(table);
    const collections = table === '*' ? this.catalog.all() : found ? [found] : [];
    const name = column.toLowerCase();
    return collections.flatMap((collection) =>
      collection.fields
        .filter((field) => name === '*' || field.name.toLowerCase() === name)
        .map((field) => ({ collection, field })),
    );
  }

  private columnsOf(count: number): readonly ViewColumn[] {
    return count === this.columns.length ? this.columns : Array.from({ length: count }, () => UNTRACED);
  }

  private isHidden({ unknown, reads }: ViewColumn): boolean {
    return unknown.length > 0 || reads.some((read) => this.isSecret(read));
  }

  /** Hidden for what it reads, or for what a name may be that nobody knows. */
  private mayHide({ unknown, reads }: ViewColumn): boolean {
    const tables = unknown.length > 0 ? this.catalog.all().map(({ name }) => name) : [];
    const possible = unknown.flatMap((column) => tables.map((table) => ({ table, column })));
    return unknown.includes('*') || [...possible, ...reads].some((read) => this.isSecret(read));
  }

  private isSecret(read: TableColumn): boolean {
    const fields = this.fieldsOf(read);
    const isSystem = fields.length === 0 && SYSTEM_SECRETS.test(`${read.table}.${read.column}`);
    return isSystem || fields.some(({ collection, field }) => isConcealed(field) || isNeverShown(collection, field));
  }

  private isText(origin: ViewColumnOrigin): boolean {
    if (origin.kind === 'cast') return origin.type === 'text';
    const source = origin.kind === 'column' ? this.fieldsOf(origin.of)[0] : undefined;
    return (
      source !== undefined && ['primaryKey', 'text'].includes(this.types.get(source.field.type).column(source.field))
    );
  }

  private findByName(table: string): Collection | undefined {
    const collection = this.catalog.find(table);
    // `find` takes ids too, but SQL knows collections by name only.
    if (collection?.name.toLowerCase() === table.toLowerCase()) return collection;
    return this.catalog.all().find(({ name }) => name.toLowerCase() === table.toLowerCase());
  }

  private shapeOf(origin: ViewColumnOrigin): Shape {
    let shape = this.shapes.get(origin);
    if (!shape) {
      shape = this.newShapeOf(origin);
      this.shapes.set(origin, shape);
    }
    return shape;
  }

  private newShapeOf(origin: ViewColumnOrigin): Shape {
    switch (origin.kind) {
      case 'column': {
        const source = this.fieldsOf(origin.of)[0];
        return source ? { kind: 'copy', ...source } : JSON_SHAPE;
      }
      case 'compound':
        return this.shapeOf(origin.arms[0]!);
      case 'oneOf':
        return this.shapeOfAll(origin.values);
      case 'call':
        return CALLS.get(origin.name) ?? JSON_SHAPE;
      case 'cast':
        return CASTS.get(origin.type) ?? JSON_SHAPE;
      case 'text':
        return TEXT_SHAPE;
      default:
        return JSON_SHAPE;
    }
  }

  /**
   * The shape of values that are all of one type. NULL is of every type, and an empty text of all that is kept as text.
   */
  private shapeOfAll(values: readonly ViewColumnOrigin[]): Shape {
    const told = values.filter(({ kind }) => kind !== 'null');
    const full = told.filter((value) => value.kind !== 'text' || !value.isEmpty);
    const shapes = (full.length > 0 ? full : told).map((value) => this.shapeOf(value));
    const [first] = shapes;
    if (!first) return JSON_SHAPE;
    const kinds = new Set(shapes.map((shape) => this.kindOf(shape)));
    if (kinds.size > 1 || (full.length < told.length && !this.isKeptAsText(first))) return JSON_SHAPE;
    // Whole numbers among others are no longer all whole.
    return shapes.find((shape) => this.definitionOf(shape).onlyInt === false) ?? first;
  }

  /** Equal for shapes whose values look alike in an answer. */
  private kindOf(shape: Shape): string {
    const definition = this.definitionOf(shape);
    const isMultiple = this.types.get(definition.type).isMultiple(definition);
    return JSON.stringify([definition.type, definition.collectionId, isMultiple]);
  }

  private isKeptAsText(shape: Shape): boolean {
    const definition = this.definitionOf(shape);
    return this.types.get(definition.type).column(definition) === 'text';
  }

  private definitionOf(shape: Shape): FieldDefinition {
    return this.fieldOf('value', shape);
  }

  private fieldOf(name: string, shape: Shape): FieldDefinition {
    if (shape.kind === 'new') return this.newField(name, shape.type, shape.options);
    if (shape.field.name === 'id') return this.relationField(name, shape.collection);
    return copyOf(shape, name);
  }

  private idField(): FieldDefinition {
    return this.newField('id', 'text', {
      system: true,
      required: true,
      primaryKey: true,
      pattern: DEFAULT_ID_PATTERN,
    });
  }

  private relationField(name: string, target: Collection): FieldDefinition {
    return this.newField(name, 'relation', { collectionId: target.id, maxSelect: 1 });
  }

  private newField(name: string, type: string, options: Readonly<Record<string, unknown>> = {}): FieldDefinition {
    return normalizeFieldDefinition({ id: checksumId(type, name), name, type, ...options }, this.types).definition!;
  }
}

function copyOf({ collection, field }: ViewFieldSource, name: string): FieldDefinition {
  return {
    ...field,
    id: checksumId('_clone_', `${collection.id}.${field.id}.${name}`),
    name,
    system: false,
  };
}

/** Where the values of a field of a view come from: the field of a base or auth collection, through views of views. */
export function findViewFieldSource(
  view: Collection,
  fieldName: string,
  catalog: CollectionCatalog,
  types: FieldTypeRegistry,
): ViewFieldSource | undefined {
  let found: ViewFieldSource | undefined = { collection: view, field: view.field(fieldName)! };
  const seen = new Set<Collection>();
  while (found?.field && found.collection.isView && !seen.has(found.collection)) {
    seen.add(found.collection);
    const fields = readFields(found.collection, catalog, types);
    const column: ViewColumn | undefined = fields?.columns[found.collection.fields.indexOf(found.field)];
    found = column && fields!.sourceOf(column.origin);
  }
  return found?.collection.isView ? undefined : found;
}

/** The fields of a view that are made of what nobody is ever shown, directly or through views of views. */
export function neverShownFields(
  view: Collection,
  catalog: CollectionCatalog,
  types: FieldTypeRegistry,
): ReadonlySet<FieldDefinition> {
  const secret = new Map<Collection, ReadonlySet<FieldDefinition>>();
  const find = (collection: Collection): ReadonlySet<FieldDefinition> => {
    let found = secret.get(collection);
    if (found) return found;
    secret.set(collection, new Set());
    const isSecret = (source: ViewFieldSource) =>
      source.collection.isView
        ? find(source.collection).has(source.field)
        : isNeverShown(source.collection, source.field);
    const fields = readFields(collection, catalog, types);
    const columns = fields?.columns ?? [];
    found = new Set(
      collection.fields.filter((_, at) => columns[at]?.reads.some((read) => fields!.fieldsOf(read).some(isSecret))),
    );
    secret.set(collection, found);
    return found;
  };
  return find(view);
}

/**
 * The collections with every column of a view hidden that is made of something hidden. What is stored may not say so:
 * an earlier version saw that in fewer columns.
 */
export function withHiddenColumns(collections: readonly Collection[], types: FieldTypeRegistry): readonly Collection[] {
  let catalog = new CatalogSnapshot(collections);
  for (;;) {
    const changed = catalog.all().flatMap((view) => {
      const fields = view.isView ? readFields(view, catalog, types)?.hide(view.fields) : undefined;
      const isSame = !fields || fields.every((field, at) => field === view.fields[at]);
      return isSame ? [] : [new Collection({ ...view.toData(), fields }, types)];
    });
    // A view of another view may have to hide more once that one does, so this repeats until nothing changes.
    if (changed.length === 0) return catalog.all();
    catalog = catalog.with(changed);
  }
}

function readFields(view: Collection, catalog: CollectionCatalog, types: FieldTypeRegistry): ViewFields | undefined {
  try {
    return new ViewFields(parseViewQuery(view.viewQuery ?? ''), catalog, types);
  } catch (error) {
    if (error instanceof SqlTextError) return undefined;
    throw error;
  }
}
