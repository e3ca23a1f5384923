import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import { uniqueColumns } from '../collections/index-definition.js';
import type { FieldDefinition } from '../fields/field-definition.js';

/** A segment of a path that leads to other records. */
export type Relation =
  | { readonly kind: 'relation'; readonly field: FieldDefinition; readonly target: Collection; readonly multi: boolean }
  | { readonly kind: 'back'; readonly field: FieldDefinition; readonly target: Collection; readonly multi: boolean };

/** How a back-relation was written before `_via_`. Filters cannot hold it, an `expand` can. */
const OLD_BACK_RELATION = /^(\w+)\((\w+)\)$/;

/**
 * Where a segment leads from a collection: through a relation field, or `<collection>_via_<field>` back to it. The
 * older form `<collection>(<field>)` means the same.
 */
export function findRelation(
  collection: Collection,
  segment: string,
  catalog: CollectionCatalog,
): Relation | undefined {
  const field = collection.field(segment);
  if (field) return forward(collection, field, catalog);
  for (let at = segment.indexOf('_via_'); at > 0; at = segment.indexOf('_via_', at + 1)) {
    const back = backward(collection, catalog, segment.slice(0, at), segment.slice(at + '_via_'.length));
    if (back) return back;
  }
  const old = segment.endsWith(')') ? OLD_BACK_RELATION.exec(segment) : null;
  return old ? backward(collection, catalog, old[1]!, old[2]!) : undefined;
}

function backward(
  collection: Collection,
  catalog: CollectionCatalog,
  targetName: string,
  fieldName: string,
): Relation | undefined {
  const target = catalog.find(targetName);
  const field = target?.field(fieldName);
  if (!target || field?.type !== 'relation' || field.collectionId !== collection.id) return undefined;
  return { kind: 'back', field, target, multi: !isOneToOne(target, field) };
}

function forward(collection: Collection, field: FieldDefinition, catalog: CollectionCatalog): Relation | undefined {
  if (field.type !== 'relation') return undefined;
  const target = catalog.find(String(field.collectionId));
  return target && { kind: 'relation', field, target, multi: collection.typeOf(field).isMultiple(field) };
}

/** Whether at most one record can point to another through this field (MM-1, EXP-4). */
function isOneToOne(collection: Collection, field: FieldDefinition): boolean {
  if (collection.typeOf(field).isMultiple(field)) return false;
  return uniqueColumns(collection.indexes).some(({ name }) => name.toLowerCase() === field.name.toLowerCase());
}
