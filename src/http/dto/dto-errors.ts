import type { ValidationError as DtoError } from 'class-validator';
import type { ErrorCode } from '../../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../../kernel/errors/field-error.js';

/** What the decorators of class-validator are called in an error body; the others are an invalid value. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  isDefined: 'validation_required',
  isNotEmpty: 'validation_required',
  arrayNotEmpty: 'validation_required',
  isEmpty: 'validation_empty',
  isIn: 'validation_in_invalid',
  isEnum: 'validation_in_invalid',
  isNotIn: 'validation_not_in_invalid',
  equals: 'validation_values_mismatch',
  matches: 'validation_match_invalid',
  isLength: 'validation_length_out_of_range',
  minLength: 'validation_length_out_of_range',
  maxLength: 'validation_length_too_long',
  min: 'validation_min_greater_equal_than_required',
  max: 'validation_max_less_equal_than_required',
  isInt: 'validation_only_int_constraint',
  isNumber: 'validation_not_a_number',
  isEmail: 'validation_is_email',
  isUrl: 'validation_is_url',
  isFqdn: 'validation_is_domain',
  isHexColor: 'validation_is_hex_color',
  isJson: 'validation_invalid_json',
  arrayMinSize: 'validation_not_enough_values',
  arrayMaxSize: 'validation_too_many_values',
};

/** The errors of class-validator in the form of every error body: nested like the object, list items by index. */
export function toFieldErrors(
  errors: readonly DtoError[],
  describe: (error: DtoError) => FieldError | FieldErrors = topmost,
): FieldErrors {
  return Object.fromEntries(
    errors.map((error) => [
      error.property,
      error.children?.length ? toFieldErrors(error.children, describe) : describe(error),
    ]),
  );
}

/** The decorator that stands first in the source. Decorators are evaluated from the bottom to the top. */
export function nameOfTopmost({ constraints = {} }: DtoError): string | undefined {
  return Object.keys(constraints).at(-1);
}

function topmost(error: DtoError): FieldError {
  const name = nameOfTopmost(error) ?? '';
  const message = error.constraints?.[name] ?? 'This value is not valid.';
  return { code: CODES[name] ?? 'validation_invalid_value', message };
}
