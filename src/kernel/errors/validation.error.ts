import { ApiError } from './api-error.js';
import { type FieldErrors, isFieldError } from './field-error.js';

/** 400 with a tree of field errors in `data`, nested like the submitted object. */
export class ValidationError extends ApiError {
  constructor(
    readonly errors: FieldErrors,
    message = 'Some values were not accepted.',
  ) {
    super(400, message, errors);
  }

  /** The message and what is wrong with each value, in one line: for those who do not see `data`. */
  toLine(): string {
    return [this.message, ...reasons(this.errors)].join(' ');
  }
}

function reasons(errors: FieldErrors, path = ''): string[] {
  return Object.entries(errors).flatMap(([key, error]) =>
    isFieldError(error) ? [`${path}${key}: ${error.message}`] : reasons(error, `${path}${key}.`),
  );
}
