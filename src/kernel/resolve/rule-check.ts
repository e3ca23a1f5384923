import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import { parseFilter } from '../filter/parse-filter.js';
import { GUEST } from '../records/caller.js';
import { ExpressionBuilder } from './expression-builder.js';

/**
 * Throws a FilterError for a rule that would mean nothing (COL-140). The catalog must hold the collection as it will
 * be. What `@request.auth` leads to depends on the caller and is not judged.
 */
export function checkRule(rule: string, collection: Collection, catalog: CollectionCatalog): void {
  const builder = new ExpressionBuilder(catalog, parseFilter, { caller: GUEST, now: 0 });
  builder.expression(parseFilter(rule), { collection, alias: collection.name });
}
