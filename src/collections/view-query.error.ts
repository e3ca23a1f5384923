import type { Collection } from '../kernel/collections/collection.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError } from '../kernel/errors/field-error.js';

/** Most characters of a reason that a client is told (COL-131). */
const LONGEST_REASON = 500;

/** The query of a view cannot be used, for the reason in the message: the database's own, or one of ours. */
export class ViewQueryError extends Error {
  override readonly name = 'ViewQueryError';

  constructor(
    readonly view: Collection,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message.slice(0, LONGEST_REASON), options);
  }

  toFieldError(): FieldError {
    return fieldError('validation_invalid_view_query', undefined, this.message);
  }
}
