import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldType, OperandKind, SqlValue, ValueModifier } from './field-type.js';
import type { OptionErrors } from './option-checks.js';
import { castToNumber, textOfColumn } from './value-casts.js';

/** Options of a number field; null stands for no limit. */
export interface NumberDefinition extends FieldDefinition {
  readonly min: number | null;
  readonly max: number | null;
  readonly onlyInt: boolean;
}

/** A number of double precision. 0 is no value, so `required` refuses it and the limits let it pass. */
export class NumberField implements FieldType<number> {
  readonly type = 'number';
  readonly options: Readonly<Record<string, FieldOption>> = {
    min: { kind: 'number?', default: null },
    max: { kind: 'number?', default: null },
    onlyInt: { kind: 'boolean', default: false },
  };
  readonly modifiers: readonly ValueModifier[] = ['append', 'remove'];

  column(): ColumnKind {
    return 'number';
  }

  operandKind(): OperandKind {
    return 'N';
  }

  isMultiple(): boolean {
    return false;
  }

  checkOptions(field: NumberDefinition): FieldErrors {
    const errors: OptionErrors = {};
    for (const name of ['min', 'max'] as const) {
      if (field.onlyInt && field[name] !== null && !Number.isInteger(field[name])) {
        errors[name] = fieldError('validation_only_int_constraint');
      }
    }
    if (field.min !== null && field.max !== null && field.max < field.min) {
      errors['max'] ??= fieldError('validation_min_number_constraint', { min: field.min });
    }
    return errors;
  }

  normalize(raw: unknown): number {
    return castToNumber(raw);
  }

  isZero(value: number): boolean {
    return value === 0;
  }

  validate(value: number, field: NumberDefinition): FieldError | undefined {
    if (!Number.isFinite(value)) return fieldError('validation_not_a_number');
    if (value === 0) return field.required ? fieldError('validation_required') : undefined;
    const { min, max } = field;
    if (field.onlyInt && !Number.isInteger(value)) return fieldError('validation_only_int_constraint');
    if (min !== null && value < min) return fieldError('validation_min_number_constraint', { min });
    if (max !== null && value > max) return fieldError('validation_max_number_constraint', { max });
    return undefined;
  }

  /** A value that is no number never passes validation; rules that are evaluated before compare it as 0. */
  toColumn(value: number): SqlValue {
    return Number.isFinite(value) ? value : 0;
  }

  fromColumn(stored: SqlValue): number {
    const number = typeof stored === 'number' ? stored : castToNumber(textOfColumn(stored));
    return Number.isFinite(number) ? number : 0;
  }

  modify(current: number, modifier: ValueModifier, operand: unknown): number {
    const change = castToNumber(operand);
    return modifier === 'remove' ? current - change : current + change;
  }
}
