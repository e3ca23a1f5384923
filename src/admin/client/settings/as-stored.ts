import { indexForTable } from '../../../kernel/collections/index-definition.js';
import { requiredIndexes } from '../../../kernel/collections/index-upkeep.js';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';

/** What stays as it is in the fields that the server has in every collection, whatever is sent (COL-43). */
const ENFORCED: Readonly<Record<string, readonly string[]>> = {
  id: ['required', 'primaryKey', 'hidden'],
  password: ['required', 'hidden'],
  tokenKey: ['required', 'hidden'],
  email: ['hidden'],
  created: ['onCreate', 'onUpdate'],
  updated: ['onCreate', 'onUpdate'],
};

/**
 * What an entry of an import says of a stored field, as the server keeps it: an option that is left out or null has its
 * default, one that the field does not have is left out, and what is enforced stays.
 */
export function fieldAsStored(stored: FieldModel, given: FieldModel): FieldModel {
  const fixed = ['id', ...(stored.system ? ['system', ...(ENFORCED[stored.name] ?? [])] : [])];
  const inAnyCase = new Map(Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]));
  const options = Object.entries(stored).map(([key, old]) => {
    if (fixed.includes(key)) return [key, old];
    return [key, given[key] ?? inAnyCase.get(key.toLowerCase()) ?? defaultFor(old, stored.type)];
  });
  return Object.fromEntries(options) as FieldModel;
}

/** The default of an option, told from the kind of value that it has. */
function defaultFor(old: unknown, type: string): unknown {
  if (typeof old === 'boolean') return false;
  if (typeof old === 'string') return '';
  // The limits of a number are null where there are none, and so are lists; those of anything else are 0.
  return typeof old === 'number' && type !== 'number' ? 0 : null;
}

/** The properties of an entry that a stored collection has; null says nothing, except for a rule (COL-2, COL-81). */
export function propertiesAsStored(stored: CollectionModel, given: CollectionModel): Partial<CollectionModel> {
  const known = Object.entries(given).filter(
    ([key, value]) => key in stored && (value !== null || key.endsWith('Rule')),
  );
  const properties: Partial<CollectionModel> = Object.fromEntries(known);
  const { name = stored.name, indexes } = properties;
  if (indexes) properties.indexes = indexesAsStored({ ...stored, name }, indexes);
  return stored.type === 'view' ? { ...properties, ...queryAsStored(stored, given) } : properties;
}

/** Indexes name the table, and an account collection gets those back that it cannot do without (COL-121, COL-123). */
function indexesAsStored(collection: CollectionModel, given: readonly string[]): string[] {
  const indexes = given.map((sql) => indexForTable(sql, collection.name));
  return collection.type === 'auth' ? [...indexes, ...requiredIndexes(collection, indexes)] : indexes;
}

/** The query of a view has two names; of two that differ, the new one counts (COL-3). */
function queryAsStored(stored: CollectionModel, given: CollectionModel): Partial<CollectionModel> {
  const { options } = given as { options?: { query?: string } };
  const sent = [given.viewQuery, options?.query].filter((query) => typeof query === 'string');
  const viewQuery = sent.find((query) => query !== stored.viewQuery) ?? stored.viewQuery;
  return { viewQuery, options: { query: viewQuery } } as Partial<CollectionModel>;
}
