import { ApiError } from './api-error.js';
import type { FieldErrors } from './field-error.js';

/** 400 with a tree of field errors in `data`, nested like the submitted object. */
export class ValidationError extends ApiError {
  constructor(
    readonly errors: FieldErrors,
    message = 'Some values were not accepted.',
  ) {
    super(400, message, errors);
  }
}
