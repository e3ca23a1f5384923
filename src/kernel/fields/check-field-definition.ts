import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { length, noneOf, pattern, required, type Rule } from '../validation/rules.js';
import { firstFailing, validateObject } from '../validation/validate-object.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldTypeRegistry } from './field-type-registry.js';
import type { FieldOptionsContext } from './field-type.js';

/**
 * Names with a meaning of their own in records, in SQL or in JavaScript, where a driver cannot give a row `__proto__`.
 */
const RESERVED_NAMES = ['null', 'true', 'false', 'collectionId', 'collectionName', 'expand', '__proto__'];

/** SQL ignores the case of what it calls the position of a row. */
const notRowid: Rule = (value) =>
  String(value).toLowerCase() === '_rowid_' ? fieldError('validation_not_in_invalid') : undefined;

const withoutVia: Rule = (value) =>
  String(value).toLowerCase().includes('_via_') ? fieldError('validation_found_via') : undefined;

const nameCheck = firstFailing(
  required,
  length(1, 100),
  pattern(/^[A-Za-z0-9_]+$/),
  noneOf(...RESERVED_NAMES),
  notRowid,
  withoutVia,
);

/** What is wrong with the name of a field, taken by itself (COL-28). */
export function checkFieldName(text: string): FieldError | undefined {
  return nameCheck(text) as FieldError | undefined;
}

/**
 * Everything wrong with a normalised definition by property name, `{}` when it is fine: id, name and help, then the
 * options of its type. How it fits to the other fields of the collection is judged elsewhere.
 */
export function checkFieldDefinition(
  definition: FieldDefinition,
  context: FieldOptionsContext,
  types: FieldTypeRegistry,
): FieldErrors {
  return {
    ...types.get(definition.type).checkOptions(definition, context),
    ...validateObject(definition, {
      id: [required, length(1, 100)],
      name: nameCheck,
      help: length(0, 300),
    }),
  };
}
