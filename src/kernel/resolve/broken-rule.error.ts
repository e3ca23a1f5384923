import type { FilterError } from '../filter/filter.error.js';

/**
 * A stored rule that cannot be compiled any more, for example because a field it names is gone. It never grants access.
 */
export class BrokenRuleError extends Error {
  constructor(
    readonly collectionName: string,
    override readonly cause: FilterError,
  ) {
    super(`A rule of the collection ${collectionName} cannot be evaluated: ${cause.message}`);
    this.name = 'BrokenRuleError';
  }
}
