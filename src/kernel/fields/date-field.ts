import { formatDateTime, momentOfSeconds, parseDateTime } from '../date-time.js';
import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldOption, OperandKind, SqlValue } from './field-type.js';
import { aboveMaximum, belowMinimum } from './option-checks.js';
import { TextValuedField } from './text-valued-field.js';
import { textOfColumn } from './value-casts.js';

/** Options of a date field, in the product's format; '' stands for no limit. */
export interface DateDefinition extends FieldDefinition {
  readonly min: string;
  readonly max: string;
}

/** A moment in the product's format, so that comparing texts compares times; '' is no date. */
export class DateField extends TextValuedField {
  readonly type = 'date';
  readonly options: Readonly<Record<string, FieldOption>> = {
    min: { kind: 'date', default: '' },
    max: { kind: 'date', default: '' },
  };

  override operandKind(): OperandKind {
    return 'D';
  }

  checkOptions(field: DateDefinition): FieldErrors {
    const reversed = field.min !== '' && field.max !== '' && field.max < field.min;
    return reversed ? { max: fieldError('validation_date_out_of_range') } : {};
  }

  override normalize(raw: unknown): string {
    if (raw === undefined || raw === null || raw === '') return '';
    return castToDateTime(raw) || UNREADABLE;
  }

  validate(value: string, field: DateDefinition): FieldError | undefined {
    if (value === '') return field.required ? fieldError('validation_required') : undefined;
    if (value === UNREADABLE) return fieldError('validation_invalid_date');
    if (field.min !== '' && value < field.min) return belowMinimum(field.min);
    if (field.max !== '' && value > field.max) return aboveMaximum(field.max);
    return undefined;
  }

  /** An unreadable value never passes validation; rules that are evaluated before compare it as no date. */
  override toColumn(value: string): SqlValue {
    return value === UNREADABLE ? '' : value;
  }

  override fromColumn(stored: SqlValue): string {
    return dateTimeOfColumn(stored);
  }
}

/** What a value becomes that is there and names no moment (COL-68a). */
const UNREADABLE = '?';

const STORED_FORM = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/;

/** Anything as a date text (COL-68): what names no moment is ''. */
export function castToDateTime(raw: unknown): string {
  if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? '' : castToDateTime(raw.toISOString());
  const moment = momentOfValue(raw);
  return moment === undefined ? '' : formatDateTime(moment);
}

/** Of a text, or of the seconds since 1970. */
function momentOfValue(raw: unknown): number | undefined {
  if (typeof raw === 'number') return momentOfSeconds(raw);
  return typeof raw === 'string' && raw !== '' ? parseDateTime(raw) : undefined;
}

/** A stored date. Reading what this server wrote costs no parsing; other texts are cast. */
export function dateTimeOfColumn(stored: SqlValue): string {
  return typeof stored === 'string' && STORED_FORM.test(stored) ? stored : castToDateTime(textOfColumn(stored));
}
