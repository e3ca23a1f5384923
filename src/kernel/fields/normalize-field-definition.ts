import { formatDateTime, parseDateTime } from '../date-time.js';
import { fieldError } from '../errors/error-codes.js';
import type { FieldError } from '../errors/field-error.js';
import { looseProperty } from '../json-object.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldTypeRegistry } from './field-type-registry.js';
import type { FieldOption, FieldType, OptionKind } from './field-type.js';
import type { OptionErrors } from './option-checks.js';

/** A definition as it can be stored, or what is wrong with the form of the submitted one. */
export type NormalizedField =
  | { readonly definition: FieldDefinition; readonly errors?: undefined }
  | { readonly definition?: undefined; readonly errors: OptionErrors | FieldError };

/** The properties every field has besides its type (COL-40), in the order in which they are shown. */
const COMMON: Readonly<Record<string, FieldOption>> = {
  id: { kind: 'string', default: '' },
  name: { kind: 'string', default: '' },
  type: { kind: 'string', default: '' },
  system: { kind: 'boolean', default: false },
  hidden: { kind: 'boolean', default: false },
  presentable: { kind: 'boolean', default: false },
  required: { kind: 'boolean', default: false },
  help: { kind: 'string', default: '' },
};

/**
 * Brings a submitted field definition into the form in which it is stored (COL-40 to COL-42): known properties only,
 * in camelCase, `null` and missing ones at their defaults. Gives errors where a value has the wrong JSON type or the
 * type is unknown. Whether the values make sense is another question: see checkFieldDefinition.
 */
export function normalizeFieldDefinition(raw: unknown, types: FieldTypeRegistry): NormalizedField {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { errors: fieldError('validation_unsupported_value_type') };
  }
  const source = raw as Readonly<Record<string, unknown>>;
  const errors: OptionErrors = {};
  const common = readOptions(source, COMMON, errors);
  const type = errors['type'] ? undefined : types.find(common['type'] as string);
  if (!type) {
    errors['type'] ??= fieldError(common['type'] === '' ? 'validation_required' : 'validation_in_invalid');
    return { errors };
  }
  const options = readOptions(source, type.options, errors);
  if (Object.keys(errors).length > 0) return { errors };
  return { definition: { ...common, ...forced(type), ...options } as FieldDefinition };
}

function forced(type: FieldType): Partial<FieldDefinition> {
  return type.neverRequired ? { required: false } : {};
}

function readOptions(
  source: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, FieldOption>>,
  errors: OptionErrors,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, { kind, default: standard }] of Object.entries(options)) {
    const value = looseProperty(source, name);
    if (value === undefined || value === null) {
      result[name] = standard;
    } else if (FORMS[kind](value)) {
      result[name] = kind === 'date' ? dateOption(value as string, name, errors) : value;
    } else {
      errors[name] = fieldError('validation_unsupported_value_type');
    }
  }
  return result;
}

const FORMS: Readonly<Record<OptionKind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  'number?': (value) => Number.isFinite(value),
  string: (value) => typeof value === 'string',
  'strings?': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  date: (value) => typeof value === 'string',
};

function dateOption(text: string, name: string, errors: OptionErrors): string {
  if (text === '') return '';
  const moment = parseDateTime(text);
  // An unreadable limit must not be dropped silently, or everything would pass.
  if (moment === undefined) errors[name] = fieldError('validation_invalid_value');
  return moment === undefined ? '' : formatDateTime(moment);
}
