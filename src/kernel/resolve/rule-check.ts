import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import { GUEST } from '../records/caller.js';
import { BrokenRuleError } from './broken-rule.error.js';
import { ExpressionBuilder, type ParseFilter } from './expression-builder.js';

/**
 * What is wrong with a rule of a collection, undefined when it is sound (COL-140). The catalog must hold the
 * collection as it will be. What `@request.auth` leads to depends on the caller and is not judged.
 */
export function checkRule(
  text: string,
  collection: Collection,
  catalog: CollectionCatalog,
  parse: ParseFilter,
): string | undefined {
  try {
    const builder = new ExpressionBuilder(catalog, parse, { caller: GUEST, now: 0 });
    builder.rule(text, { collection, alias: collection.name });
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokenRuleError)) throw error;
    const { message, span } = error.cause;
    return `${message} (at position ${span.start}).`;
  }
}
