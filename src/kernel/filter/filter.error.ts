import type { Span } from './filter-node.js';

/** What is wrong with a filter, rule or sort text, and where (offset into the text). Never holds SQL. */
export class FilterError extends Error {
  constructor(
    message: string,
    readonly span: Span,
  ) {
    super(message);
    this.name = 'FilterError';
  }
}
