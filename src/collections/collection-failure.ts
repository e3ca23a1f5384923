import { DatabaseError } from '../database/database.error.js';
import { IndexRefusedError } from '../database/index-refused.error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { ViewQueryError } from './view-query.error.js';

/** Whatever stopped the change of a collection, as an error for the superuser who asked for it (COL-111, COL-124). */
export function collectionFailure(cause: unknown): unknown {
  if (cause instanceof IndexRefusedError) {
    const error = fieldError('validation_invalid_index_expression', undefined, cause.message);
    return new ValidationError({ indexes: { [cause.position]: error } });
  }
  if (cause instanceof ViewQueryError) return new ValidationError({ viewQuery: cause.toFieldError() });
  if (cause instanceof DatabaseError && !cause.isFault) return new BadRequestError(cause.message, {}, { cause });
  return cause;
}
