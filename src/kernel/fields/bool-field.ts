import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldType, OperandKind, SqlValue } from './field-type.js';
import { textOfColumn } from './value-casts.js';

const TRUE_WORDS: ReadonlySet<unknown> = new Set(['1', 't', 'T', 'true', 'True', 'TRUE']);

/** True or false. False is no value, so a required field has to be true. */
export class BoolField implements FieldType<boolean> {
  readonly type = 'bool';
  readonly options: Readonly<Record<string, FieldOption>> = {};

  column(): ColumnKind {
    return 'boolean';
  }

  operandKind(): OperandKind {
    return 'B';
  }

  isMultiple(): boolean {
    return false;
  }

  checkOptions(): FieldErrors {
    return {};
  }

  normalize(raw: unknown): boolean {
    return typeof raw === 'number' ? raw !== 0 : raw === true || TRUE_WORDS.has(raw);
  }

  isZero(value: boolean): boolean {
    return !value;
  }

  validate(value: boolean, field: FieldDefinition): FieldError | undefined {
    return field.required && !value ? fieldError('validation_required') : undefined;
  }

  toColumn(value: boolean): SqlValue {
    return value ? 1 : 0;
  }

  fromColumn(stored: SqlValue): boolean {
    return this.normalize(typeof stored === 'number' ? stored : textOfColumn(stored));
  }
}
