import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import type { Collection } from '../kernel/collections/collection.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import { FilterError } from '../kernel/filter/filter.error.js';
import { checkRule } from '../kernel/resolve/rule-check.js';

/** The error of a rule against the collection as it will be (COL-140); the reason is in the message. */
export function ruleError(rule: string, collection: Collection, catalog: CollectionCatalog): FieldError | undefined {
  try {
    checkRule(rule, collection, catalog);
    return undefined;
  } catch (error) {
    if (error instanceof FilterError) return fieldError('validation_invalid_rule', undefined, error.message);
    throw error;
  }
}
