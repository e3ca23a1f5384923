import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import type { Collection } from '../kernel/collections/collection.js';
import { SqlTextError } from '../kernel/collections/sql-text.error.js';
import { parseViewQuery, type ViewColumnOrigin, type ViewQuery } from '../kernel/collections/view-query.js';
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

const NUMBER_CASTS = ['real', 'decimal', 'numeric'];
const INTEGER_CASTS = ['int', 'integer'];
const BOOL_CASTS = ['bool', 'boolean'];

/** What the columns of a view query are, seen through the definitions of the collections it reads (COL-133). */
export class ViewFields {
  constructor(
    private readonly query: ViewQuery,
    private readonly catalog: CollectionCatalog,
    private readonly types: FieldTypeRegistry,
  ) {}

  /** The fields of columns with these names, in the order of the query. Ids depend on name and source only. */
  infer(names: readonly string[]): FieldDefinition[] {
    const taken = new Set<string>();
    return names.map((name, index) => {
      const field = this.fieldOf(name, this.query.columns[index] ?? { kind: 'expression' });
      const id = taken.has(field.id) ? checksumId(field.type, name, (candidate) => taken.has(candidate)) : field.id;
      taken.add(id);
      return { ...field, id };
    });
  }

  /** True when the column `id` is text in the database already, so that it need not be cast (COL-132). */
  hasTextId(names: readonly string[]): boolean {
    const origin = this.query.columns[names.indexOf('id')];
    if (!origin) return false;
    if (origin.kind === 'cast') return origin.type === 'text';
    const source = this.sourceOf(origin);
    return (
      source !== undefined &&
      ['primaryKey', 'text'].includes(source.collection.typeOf(source.field).column(source.field))
    );
  }

  /** The field that a column shows as it is; undefined for everything that is computed. */
  sourceOf(origin: ViewColumnOrigin): ViewFieldSource | undefined {
    if (origin.kind !== 'reference') return undefined;
    const { table } = origin;
    const source =
      table === undefined
        ? this.query.sources[0]
        : this.query.sources.find((candidate) => candidate.alias.toLowerCase() === table.toLowerCase());
    const collection = source?.table ? this.findByName(source.table) : undefined;
    const field = collection?.fields.find(({ name }) => name.toLowerCase() === origin.column.toLowerCase());
    return collection && field ? { collection, field } : undefined;
  }

  private findByName(table: string): Collection | undefined {
    const collection = this.catalog.find(table);
    // `find` takes ids too, but SQL knows collections by name only.
    if (collection?.name.toLowerCase() === table.toLowerCase()) return collection;
    return this.catalog.all().find(({ name }) => name.toLowerCase() === table.toLowerCase());
  }

  private fieldOf(name: string, origin: ViewColumnOrigin): FieldDefinition {
    if (name === 'id') return this.idField();
    if (origin.kind === 'call') return this.callField(name, origin.name);
    if (origin.kind === 'cast') return this.castField(name, origin.type);
    const source = this.sourceOf(origin);
    if (!source) return this.newField(name, 'json');
    return source.field.name === 'id' ? this.relationField(name, source.collection) : copyOf(source, name);
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

  private callField(name: string, called: string): FieldDefinition {
    if (called === 'count') return this.newField(name, 'number', { onlyInt: true });
    return this.newField(name, called === 'total' ? 'number' : 'json');
  }

  private castField(name: string, type: string): FieldDefinition {
    if (NUMBER_CASTS.includes(type)) return this.newField(name, 'number');
    if (INTEGER_CASTS.includes(type)) return this.newField(name, 'number', { onlyInt: true });
    if (BOOL_CASTS.includes(type)) return this.newField(name, 'bool');
    return this.newField(name, type === 'text' ? 'text' : 'json');
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
    found = directSource(found, catalog, types);
  }
  return found?.collection.isView ? undefined : found;
}

function directSource(
  { collection, field }: ViewFieldSource,
  catalog: CollectionCatalog,
  types: FieldTypeRegistry,
): ViewFieldSource | undefined {
  try {
    const query = parseViewQuery(collection.viewQuery ?? '');
    const origin = query.columns[collection.fields.indexOf(field)];
    return origin && new ViewFields(query, catalog, types).sourceOf(origin);
  } catch (error) {
    if (error instanceof SqlTextError) return undefined;
    throw error;
  }
}
