import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import type { FieldOption } from './field-type.js';
import { itemsOf, ListValuedField, mostValues, type ListDefinition, type ListValue } from './list-valued-field.js';
import { aboveMaximum, checkIntegers, type OptionErrors } from './option-checks.js';

/** The values to choose from, and how many. */
export interface SelectDefinition extends ListDefinition {
  readonly values: readonly string[] | null;
}

const LONGEST_SHOWN = 200;

/** One or several of a fixed list of texts. */
export class SelectField extends ListValuedField {
  readonly type = 'select';
  readonly options: Readonly<Record<string, FieldOption>> = {
    values: { kind: 'strings?', default: null },
    maxSelect: { kind: 'integer', default: 0 },
  };

  checkOptions(field: SelectDefinition): FieldErrors {
    const errors: OptionErrors = checkIntegers(field, this.options);
    const choices = field.values?.length ?? 0;
    if (choices === 0) errors['values'] = fieldError('validation_required');
    else if (field.maxSelect > choices) errors['maxSelect'] ??= aboveMaximum(choices);
    return errors;
  }

  validate(value: ListValue, field: SelectDefinition): FieldError | undefined {
    const chosen = itemsOf(value);
    if (chosen.length === 0) return field.required ? fieldError('validation_required') : undefined;
    const maxSelect = mostValues(field);
    if (chosen.length > maxSelect) return fieldError('validation_too_many_values', { maxSelect });
    const choices = field.values ?? [];
    // Making a set pays only for many values.
    const known = chosen.length < 8 ? undefined : new Set(choices);
    const unknown = chosen.find((item) => !(known ? known.has(item) : choices.includes(item)));
    return unknown === undefined ? undefined : fieldError('validation_invalid_value', { value: shown(unknown) });
  }
}

/** Not all of what may have megabytes. */
function shown(value: string): string {
  return value.length <= LONGEST_SHOWN ? value : `${value.slice(0, LONGEST_SHOWN)}…`;
}
