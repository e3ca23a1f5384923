import { fieldError } from '../errors/error-codes.js';
import type { FieldErrors } from '../errors/field-error.js';
import { castToDateTime, dateTimeOfColumn } from './date-field.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldOption, FieldOptionsContext, WriteMoment, OperandKind, SqlValue } from './field-type.js';
import type { OptionErrors } from './option-checks.js';
import { TextValuedField } from './text-valued-field.js';

/** When the server stamps the field. */
export interface AutodateDefinition extends FieldDefinition {
  readonly onCreate: boolean;
  readonly onUpdate: boolean;
}

/** The time of the record's creation, of its last update, or of both. Nobody but the server sets it. */
export class AutodateField extends TextValuedField {
  readonly type = 'autodate';
  readonly options: Readonly<Record<string, FieldOption>> = {
    onCreate: { kind: 'boolean', default: false },
    onUpdate: { kind: 'boolean', default: false },
  };
  readonly setByServer = true;
  readonly neverRequired = true;

  override operandKind(): OperandKind {
    return 'D';
  }

  checkOptions(field: AutodateDefinition, { stored }: FieldOptionsContext): FieldErrors {
    if (!field.onCreate && !field.onUpdate) {
      return { onCreate: fieldError('validation_required'), onUpdate: fieldError('validation_required') };
    }
    const errors: OptionErrors = {};
    for (const flag of ['onCreate', 'onUpdate'] as const) {
      if (stored?.system && field[flag] !== stored[flag]) errors[flag] = fieldError('validation_values_mismatch');
    }
    return errors;
  }

  override normalize(raw: unknown): string {
    return castToDateTime(raw);
  }

  validate(): undefined {
    return undefined;
  }

  override fromColumn(stored: SqlValue): string {
    return dateTimeOfColumn(stored);
  }

  complete(current: string, field: AutodateDefinition, moment: WriteMoment): string {
    return (moment.isNew ? field.onCreate : field.onUpdate) ? moment.now : current;
  }
}
