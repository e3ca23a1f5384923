import type { Span } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';

/** A path names what is not there, or what its author may not know about (GRD-2). */
export class UnknownFieldError extends FilterError {
  constructor(name: string, span: Span) {
    super(`Unknown field ${JSON.stringify(name)}`, span);
  }
}
