import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldOptionsContext, FieldType, OperandKind, SqlValue } from './field-type.js';
import { castToText, textOfColumn } from './value-casts.js';

/** What the types have in common whose value is one text, stored as it is; '' is no value. */
export abstract class TextValuedField implements FieldType<string> {
  abstract readonly type: string;
  abstract readonly options: Readonly<Record<string, FieldOption>>;

  abstract checkOptions(field: FieldDefinition, context: FieldOptionsContext): FieldErrors;

  abstract validate(value: string, field: FieldDefinition, checks: FieldChecks): MaybePromise<FieldError | undefined>;

  column(_field: FieldDefinition): ColumnKind {
    return 'text';
  }

  operandKind(): OperandKind {
    return 'T';
  }

  isMultiple(): boolean {
    return false;
  }

  normalize(raw: unknown): string {
    return castToText(raw);
  }

  isZero(value: string): boolean {
    return value === '';
  }

  toColumn(value: string): SqlValue {
    return value;
  }

  fromColumn(stored: SqlValue): string {
    return textOfColumn(stored);
  }
}
