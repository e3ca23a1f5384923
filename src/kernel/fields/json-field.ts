import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { MAX_JSON_DEPTH, isTooComplex } from '../validation/json-complexity.js';
import { checkJsonValue } from '../validation/json-value.js';
import { byteLength } from '../validation/text-length.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldType, OperandKind, SqlValue } from './field-type.js';
import { checkIntegers } from './option-checks.js';
import { textOfColumn } from './value-casts.js';

/** Options of a json field; `maxSize` 0 stands for 1 MiB. */
export interface JsonDefinition extends FieldDefinition {
  readonly maxSize: number;
}

const DEFAULT_MAX_SIZE = 1024 * 1024;
const JSON_LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const JSON_START = /^[-\d"[{]/;

/** How a text ends that is JSON and begins with one of these. */
const JSON_ENDS: Readonly<Record<string, string>> = { '"': '"', '[': ']', '{': '}' };

/** Any JSON value. The only type whose column may be NULL, which is what JSON's null is stored as. */
export class JsonField implements FieldType {
  readonly type = 'json';
  readonly options: Readonly<Record<string, FieldOption>> = { maxSize: { kind: 'integer', default: 0 } };

  column(): ColumnKind {
    return 'json';
  }

  operandKind(): OperandKind {
    return 'J';
  }

  isMultiple(): boolean {
    return false;
  }

  checkOptions(field: JsonDefinition): FieldErrors {
    return checkIntegers(field, this.options);
  }

  /** A text that is JSON becomes the value it stands for, because forms have no other way to send one. */
  normalize(raw: unknown, field: JsonDefinition): unknown {
    if (typeof raw === 'string') return castTextToJson(raw, this.bodyAllowance(field));
    return raw === undefined ? null : raw;
  }

  isZero(value: unknown): boolean {
    if (value === null || value === '') return true;
    return Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value).length === 0;
  }

  validate(value: unknown, field: JsonDefinition): FieldError | undefined {
    const maxSize = this.bodyAllowance(field);
    const flaw = checkJsonValue(value, { maxSize, maxDepth: MAX_JSON_DEPTH });
    if (flaw === 'size') return fieldError('validation_json_size_limit', { maxSize });
    const text = flaw === undefined ? jsonText(value) : undefined;
    if (text === undefined) return fieldError('validation_invalid_json');
    if (byteLength(text) > maxSize) return fieldError('validation_json_size_limit', { maxSize });
    return field.required && this.isZero(value) ? fieldError('validation_required') : undefined;
  }

  toColumn(value: unknown): SqlValue {
    return value === null ? null : (jsonText(value) ?? null);
  }

  /**
   * The value of a column. A database may hand back a number for the text of one, and what somebody else stored need
   * not be JSON: then it is a text.
   */
  fromColumn(stored: SqlValue): unknown {
    if (stored === null || typeof stored === 'number') return stored;
    const text = textOfColumn(stored);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }

  bodyAllowance(field: JsonDefinition): number {
    return field.maxSize || DEFAULT_MAX_SIZE;
  }
}

/** Stands for JSON that cannot be stored: NaN is not JSON, so it is never a valid value. */
const NOT_STORABLE = NaN;

/** A text that is too long for the field is not parsed, because validation refuses it by its size. */
function castTextToJson(text: string, maxSize: number): unknown {
  if (JSON_LITERALS.has(text)) return JSON_LITERALS.get(text);
  if (text.length > maxSize || !JSON_START.test(text)) return text;
  if (!text.trimEnd().endsWith(JSON_ENDS[text[0]!] ?? '')) return text;
  // To build it first would take a tenth of a second for a megabyte of brackets (OPS-39).
  if (isTooComplex(text)) return NOT_STORABLE;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The value in JSON; undefined for what JSON cannot say: functions, circles, depths beyond the stack. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
