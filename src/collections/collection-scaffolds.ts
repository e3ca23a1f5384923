import { blankCollection } from '../kernel/collections/collection-draft.js';
import { collectionToJson } from '../kernel/collections/collection-json.js';
import { COLLECTION_TYPES, type CollectionType } from '../kernel/collections/collection.js';
import { arrangeFields } from '../kernel/collections/field-list.js';
import { requiredIndexStatements } from '../kernel/collections/index-upkeep.js';
import type { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { randomText } from '../kernel/ids.js';

const INDEX_SUFFIX_LENGTH = 10;

/** An empty definition of each type, as a new collection would begin (COL-100), without secrets. */
export function collectionScaffolds(types: FieldTypeRegistry): Record<CollectionType, Record<string, unknown>> {
  const scaffolds = COLLECTION_TYPES.map((type) => [type, scaffold(type, types)]);
  return Object.fromEntries(scaffolds) as Record<CollectionType, Record<string, unknown>>;
}

function scaffold(type: CollectionType, types: FieldTypeRegistry): Record<string, unknown> {
  const blank = blankCollection(type);
  if (type === 'view') return collectionToJson(blank);
  const { fields = [] } = arrangeFields({ type, submitted: [], stored: [] }, types);
  const indexes = type === 'auth' ? requiredIndexStatements('', randomText(INDEX_SUFFIX_LENGTH)) : [];
  return collectionToJson({ ...blank, fields, indexes: [...indexes] });
}
