import { fieldError } from '../errors/error-codes.js';
import type { FieldError } from '../errors/field-error.js';
import { RESERVED_FIELD_NAMES } from './system-fields.js';

/** Most characters of the name of a field, and of the id of a field or collection. */
export const MAX_FIELD_NAME = 100;

/** Letters, digits and underscores of ASCII: what may become the name of a table or column. */
export const PLAIN_NAME = /^[A-Za-z0-9_]+$/;

/** True when the name holds the word that marks back-relations in filters. */
export function hasVia(name: string): boolean {
  return name.toLowerCase().includes('_via_');
}

/** What is wrong with the name of a field, whatever collection it is in (COL-28). */
export function fieldNameError(name: string): FieldError | undefined {
  if (name === '') return fieldError('validation_required');
  if (name.length > MAX_FIELD_NAME) {
    return fieldError('validation_length_out_of_range', { min: 1, max: MAX_FIELD_NAME });
  }
  if (!PLAIN_NAME.test(name)) return fieldError('validation_match_invalid');
  if (RESERVED_FIELD_NAMES.includes(name)) return fieldError('validation_not_in_invalid');
  return hasVia(name) ? fieldError('validation_found_via') : undefined;
}
