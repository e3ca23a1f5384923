import { LRUCache } from 'lru-cache';
import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { MaybePromise } from '../maybe-promise.js';
import { codePointLength } from '../validation/text-length.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldDefinition } from './field-definition.js';
import type { ColumnKind, FieldOption, FieldOptionsContext, WriteMoment } from './field-type.js';
import { GeneratorPattern } from './generator-pattern.js';
import { belowMinimum, checkIntegers, type OptionErrors } from './option-checks.js';
import { PatternCache } from './pattern-cache.js';
import { checkNewId, checkSameId } from './primary-key.js';
import { TextValuedField } from './text-valued-field.js';
import { castToText } from './value-casts.js';

/** Options of a text field; `max` 0 stands for 5000. */
export interface TextDefinition extends FieldDefinition {
  readonly min: number;
  readonly max: number;
  readonly pattern: string;
  readonly autogeneratePattern: string;
  readonly primaryKey: boolean;
}

const DEFAULT_MAX = 5000;
/** How many generated values have to pass before a pattern is taken as good. */
const SAMPLES = 10;

/** Plain text, counted in code points. With `primaryKey` it is the id of the record and obeys the rules of ids. */
export class TextField extends TextValuedField {
  readonly type = 'text';
  readonly options: Readonly<Record<string, FieldOption>> = {
    min: { kind: 'integer', default: 0 },
    max: { kind: 'integer', default: 0 },
    pattern: { kind: 'string', default: '' },
    autogeneratePattern: { kind: 'string', default: '' },
    primaryKey: { kind: 'boolean', default: false },
  };

  private readonly patterns = new PatternCache();
  private readonly generators = new LRUCache<string, GeneratorPattern>({ max: 500 });

  override column(field: TextDefinition): ColumnKind {
    return field.primaryKey ? 'primaryKey' : 'text';
  }

  checkOptions(field: TextDefinition, context: FieldOptionsContext): FieldErrors {
    const errors: OptionErrors = checkIntegers(field, this.options);
    if (field.max > 0 && field.max < field.min) errors['max'] ??= belowMinimum(field.min);
    if (field.primaryKey && field.name !== 'id') errors['name'] = fieldError('validation_in_invalid');
    if (field.primaryKey && isSecondPrimaryKey(field, context)) {
      errors['primaryKey'] = fieldError('validation_unsupported_composite_pk');
    }
    if (field.pattern !== '' && !this.patterns.isValid(field.pattern)) {
      errors['pattern'] = fieldError('validation_invalid_regex');
    }
    const generator = this.checkGenerator(field);
    if (generator) errors['autogeneratePattern'] = generator;
    return errors;
  }

  validate(value: string, field: TextDefinition, checks: FieldChecks): MaybePromise<FieldError | undefined> {
    if (!field.primaryKey) return this.checkText(value, field);
    const original = checks.original(field);
    if (typeof original === 'string' && original !== '') return checkSameId(value, original);
    return checkNewId(value, { field, checks, checkText: () => this.checkText(value, field) });
  }

  autogenerate(prefix: unknown, field: TextDefinition): string {
    return castToText(prefix) + this.generate(field);
  }

  /** A new record gets a generated text where it has none. */
  complete(current: string, field: TextDefinition, moment: WriteMoment): string {
    return moment.isNew && current === '' ? this.generate(field) : current;
  }

  private checkText(value: string, field: TextDefinition): FieldError | undefined {
    if (value === '') return field.required ? fieldError('validation_required') : undefined;
    const { min } = field;
    const max = field.max || DEFAULT_MAX;
    // A code point has at most two UTF-16 units, so a text that is far too long need not be counted.
    const length = value.length > 2 * max ? value.length : codePointLength(value);
    if (length < min) return fieldError('validation_min_text_constraint', { min });
    if (length > max) return fieldError('validation_max_text_constraint', { max });
    if (field.pattern !== '' && !this.patterns.matches(field.pattern, value)) {
      return fieldError('validation_invalid_format');
    }
    return undefined;
  }

  private generate(field: TextDefinition): string {
    const pattern = field.autogeneratePattern;
    if (pattern === '') return '';
    let generator = this.generators.get(pattern);
    if (!generator) {
      generator = GeneratorPattern.parse(pattern);
      this.generators.set(pattern, generator);
    }
    return generator.generate();
  }

  private checkGenerator(field: TextDefinition): FieldError | undefined {
    const pattern = field.autogeneratePattern;
    if (pattern === '') return undefined;
    if (!this.patterns.isValid(pattern)) return fieldError('validation_invalid_regex');
    let generator: GeneratorPattern;
    try {
      generator = GeneratorPattern.parse(pattern);
    } catch (error) {
      return fieldError('validation_invalid_autogenerate_pattern', undefined, (error as RangeError).message);
    }
    for (let sample = 0; sample < SAMPLES; sample++) {
      const value = generator.generate();
      if (this.checkText(value, field)) return fieldError('validation_invalid_autogenerate_pattern_value', { value });
    }
    return undefined;
  }
}

function isSecondPrimaryKey(field: TextDefinition, context: FieldOptionsContext): boolean {
  return field.name !== 'id' && context.fields.some((other) => other['primaryKey'] && other.name !== field.name);
}
