import type {
  ColumnKind,
  FieldDefinition,
  FieldError,
  FieldErrors,
  FieldOption,
  FieldType,
  OperandKind,
  SqlValue,
} from 'roost';

/** An article number: two letters, a dash and digits. Lower case is accepted and stored in upper case. */
export class SkuField implements FieldType<string> {
  readonly type = 'sku';
  readonly options: Readonly<Record<string, FieldOption>> = {
    digits: { kind: 'integer', default: 4 },
  };

  column(): ColumnKind {
    return 'text';
  }

  operandKind(): OperandKind {
    return 'T';
  }

  isMultiple(): boolean {
    return false;
  }

  checkOptions(field: FieldDefinition): FieldErrors {
    const digits = field['digits'] as number;
    return digits >= 1 && digits <= 12
      ? {}
      : { digits: { code: 'validation_out_of_range', message: 'Must be between 1 and 12.' } };
  }

  normalize(raw: unknown): string {
    return typeof raw === 'string' ? raw.trim().toUpperCase() : '';
  }

  isZero(value: string): boolean {
    return value === '';
  }

  validate(value: string, field: FieldDefinition): FieldError | undefined {
    if (value === '') {
      return field.required ? { code: 'validation_required', message: 'Cannot be blank.' } : undefined;
    }
    const [letters, digits, ...rest] = value.split('-');
    const fits = /^[A-Z]{2}$/.test(letters!) && /^\d+$/.test(digits ?? '') && digits!.length === field['digits'];
    if (fits && rest.length === 0) return undefined;
    return {
      code: 'validation_invalid_sku',
      message: `Must be two letters, a dash and ${String(field['digits'])} digits.`,
    };
  }

  toColumn(value: string): SqlValue {
    return value;
  }

  fromColumn(stored: SqlValue): string {
    return typeof stored === 'string' ? stored : '';
  }
}
