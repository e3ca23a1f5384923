import { BadRequestError } from '../errors/bad-request.error.js';
import type { FilterError } from '../filter/filter.error.js';

/** The answer to a filter or sort that cannot be used (FLT-5): 400 without data, what is wrong and where. */
export function invalidQuery(parameter: 'filter' | 'sort', { message, span }: FilterError): BadRequestError {
  return new BadRequestError(`Invalid ${parameter}: ${message} (at position ${span.start}).`);
}
