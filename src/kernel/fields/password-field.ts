import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { byteLength, codePointLength } from '../validation/text-length.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldType, OperandKind, SqlValue } from './field-type.js';
import { aboveMaximum, belowMinimum, checkIntegers, type OptionErrors } from './option-checks.js';
import { PasswordValue } from './password-value.js';
import { PatternCache } from './pattern-cache.js';
import { castToText, textOfColumn } from './value-casts.js';

/** What is asked of new passwords; `max` 0 stands for 71, `cost` 0 for 10. */
export interface PasswordDefinition extends FieldDefinition {
  readonly min: number;
  readonly max: number;
  readonly pattern: string;
  readonly cost: number;
}

const LONGEST = 71;
/** bcrypt ignores everything after this many bytes. */
const MOST_BYTES = 72;
/** Stands in the column until the password is hashed; no hash has this form, so nobody can sign in with it. */
const NOT_HASHED_YET = '*';

/**
 * A password, of which only the hash is stored. Hashing takes time and happens outside, before the record is stored:
 * what the column would hold until then is a text that no password matches.
 */
export class PasswordField implements FieldType<PasswordValue> {
  readonly type = 'password';
  readonly options: Readonly<Record<string, FieldOption>> = {
    min: { kind: 'integer', default: 0 },
    max: { kind: 'integer', default: 0 },
    pattern: { kind: 'string', default: '' },
    cost: { kind: 'integer', default: 0 },
  };

  private readonly patterns = new PatternCache();

  column(): ColumnKind {
    return 'text';
  }

  operandKind(): OperandKind {
    return 'T';
  }

  isMultiple(): boolean {
    return false;
  }

  checkOptions(field: PasswordDefinition): FieldErrors {
    const errors: OptionErrors = checkIntegers(field, this.options);
    if (field.min > LONGEST) errors['min'] = aboveMaximum(LONGEST);
    if (field.max > LONGEST) errors['max'] = aboveMaximum(LONGEST);
    if (field.max > 0 && field.max < field.min) errors['max'] = belowMinimum(field.min);
    if (field.cost > 31) errors['cost'] = aboveMaximum(31);
    if (field.cost > 0 && field.cost < 4) errors['cost'] = belowMinimum(4);
    if (field.pattern !== '' && !this.patterns.isValid(field.pattern)) {
      errors['pattern'] = fieldError('validation_invalid_regex');
    }
    return errors;
  }

  normalize(raw: unknown): PasswordValue {
    return raw instanceof PasswordValue ? raw : PasswordValue.fromPlain(castToText(raw));
  }

  isZero(value: PasswordValue): boolean {
    return value.isEmpty;
  }

  /** A stored hash is not judged again: only a new plain text is. */
  validate(value: PasswordValue, field: PasswordDefinition): FieldError | undefined {
    if (value.isEmpty) return field.required ? fieldError('validation_required') : undefined;
    return value.plain === undefined ? undefined : this.checkPlain(value.plain, field);
  }

  toColumn(value: PasswordValue): SqlValue {
    return value.needsHash ? NOT_HASHED_YET : value.hash;
  }

  fromColumn(stored: SqlValue): PasswordValue {
    return PasswordValue.fromHash(textOfColumn(stored));
  }

  toJson(): string {
    return '';
  }

  private checkPlain(plain: string, field: PasswordDefinition): FieldError | undefined {
    const { min } = field;
    const max = field.max || LONGEST;
    const length = plain.length > 2 * max ? plain.length : codePointLength(plain);
    if (length < min) return fieldError('validation_min_text_constraint', { min });
    if (length > max || byteLength(plain) > MOST_BYTES) return fieldError('validation_max_text_constraint', { max });
    // bcrypt ignores everything from a NUL on.
    if (plain.includes('\0')) return fieldError('validation_invalid_format');
    if (field.pattern !== '' && !this.patterns.matches(field.pattern, plain)) {
      return fieldError('validation_invalid_format');
    }
    return undefined;
  }
}
