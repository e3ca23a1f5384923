import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import {
  type IndexDefinition,
  indexHasColumn,
  parseIndex,
  printIndex,
} from '../kernel/collections/index-definition.js';
import { fieldRenames, followFieldRenames, requiredIndexes } from '../kernel/collections/index-upkeep.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';

/** What the indexes of a collection are checked against. */
export interface IndexContext {
  readonly stored?: Collection;
  readonly catalog: CatalogSnapshot;
}

/** What is wrong with the indexes of a collection: the first wrong one, or the list as a whole (COL-122). */
export function indexErrors(collection: Collection, context: IndexContext): FieldError | FieldErrors | undefined {
  if (collection.isView) {
    return collection.indexes.length > 0 ? fieldError('validation_indexes_not_supported') : undefined;
  }
  const byIndex = collectionsByIndex(context.catalog);
  const userOf = (name: string) => byIndex.get(name)?.find(({ id }) => id !== collection.id)?.name;
  const names = new Set<string>();
  const definitions = new Set<string>();
  for (const [position, sql] of collection.indexes.entries()) {
    const index = parseIndex(sql);
    const error = index ? oneIndexError(index, { userOf, names, definitions }) : unparsable();
    if (error) return { [position]: error };
    names.add(index!.name.toLowerCase());
    definitions.add(withoutName(index!));
  }
  return systemIndexError(collection, context.stored);
}

interface Seen {
  /** The name of another collection that has an index of this name. */
  readonly userOf: (name: string) => string | undefined;
  readonly names: ReadonlySet<string>;
  readonly definitions: ReadonlySet<string>;
}

function oneIndexError(index: IndexDefinition, seen: Seen): FieldError | undefined {
  const name = index.name.toLowerCase();
  if (seen.names.has(name)) return fieldError('validation_duplicated_index_name');
  const usedTableName = seen.userOf(name);
  if (usedTableName !== undefined) return fieldError('validation_existing_index_name', { usedTableName });
  return seen.definitions.has(withoutName(index)) ? fieldError('validation_duplicated_index_definition') : undefined;
}

function unparsable(): FieldError {
  return fieldError('validation_invalid_index_expression', undefined, 'This is not a CREATE INDEX statement.');
}

/** Unique indexes over system fields may change their name, but neither go nor cover something else. */
function systemIndexError(collection: Collection, stored: Collection | undefined): FieldError | undefined {
  const present = new Set(uniqueIndexes(collection.indexes).map(coveredColumns));
  const lost = stored && kept(stored, collection).some((index) => !present.has(coveredColumns(index)));
  if (lost) return fieldError('validation_invalid_unique_system_field_index');
  const missing = collection.isAuth && requiredIndexes(collection, collection.indexes).length > 0;
  return missing ? fieldError('validation_missing_required_unique_index') : undefined;
}

/**
 * The unique indexes over system fields that the collection must still have. Their other columns follow renamed
 * fields, and an index goes with a field that is removed (COL-117).
 */
function kept(stored: Collection, collection: Collection): IndexDefinition[] {
  const renames = fieldRenames(stored.fields, collection.fields);
  return uniqueIndexes(stored.indexes)
    .filter((index) => {
      const covered = stored.fields.filter(({ name }) => indexHasColumn(index, name));
      return covered.some(({ system }) => system) && covered.every(({ id }) => collection.fieldById(id));
    })
    .map((index) => parseIndex(followFieldRenames(printIndex(index), renames))!);
}

function uniqueIndexes(indexes: readonly string[]): IndexDefinition[] {
  return indexes.flatMap((sql) => {
    const index = parseIndex(sql);
    return index?.unique ? index : [];
  });
}

function coveredColumns(index: IndexDefinition): string {
  return index.columns.map(({ name }) => name.toLowerCase()).join(',');
}

function withoutName(index: IndexDefinition): string {
  return printIndex({ ...index, name: '', table: '' });
}

/** Of each catalog, the collections by the names of their indexes: an import asks once for each collection of it. */
const named = new WeakMap<CatalogSnapshot, ReadonlyMap<string, readonly Collection[]>>();

function collectionsByIndex(catalog: CatalogSnapshot): ReadonlyMap<string, readonly Collection[]> {
  const known = named.get(catalog);
  if (known) return known;
  const collections = new Map<string, Collection[]>();
  for (const collection of catalog.all()) {
    for (const sql of collection.indexes) {
      const name = parseIndex(sql)?.name.toLowerCase();
      if (name === undefined) continue;
      const others = collections.get(name);
      if (others) others.push(collection);
      else collections.set(name, [collection]);
    }
  }
  named.set(catalog, collections);
  return collections;
}
