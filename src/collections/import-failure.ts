import { DatabaseError } from '../database/database.error.js';
import { IndexRefusedError } from '../database/index-refused.error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { RefusedCollectionError } from './refused-collection.error.js';
import { ViewQueryError } from './view-query.error.js';

/**
 * Whatever stopped an import, as the one error of COL-99: the message names the collection with its errors as JSON,
 * or tells the database's reason. Errors that are nobody's fault here, such as a refusal by a hook, come back as they
 * are.
 */
export function importFailure(cause: unknown): unknown {
  if (cause instanceof RefusedCollectionError) {
    const { collection, errors, fieldNames, message } = cause;
    return message === ''
      ? refused(collection, errors, fieldNames)
      : failure(`The collection "${collection}": ${message}`);
  }
  if (cause instanceof ViewQueryError) return refused(cause.view.name, { viewQuery: cause.toFieldError() });
  if (cause instanceof IndexRefusedError) {
    const error = fieldError('validation_invalid_index_expression', undefined, cause.message);
    return refused(cause.collection, { indexes: { [cause.position]: error } });
  }
  if (cause instanceof ValidationError) return failure(cause.message, { errors: cause.errors });
  if (cause instanceof DatabaseError) return failure(cause.message);
  return cause;
}

function refused(collection: string, errors: FieldErrors, fieldNames: readonly string[] = []): ValidationError {
  const named = errors.fields ? { ...errors, fields: byName(errors.fields as FieldErrors, fieldNames) } : errors;
  const message = `The collection "${collection}" cannot be imported: ${JSON.stringify(named)}`;
  return failure(message, { collection, errors: named });
}

/**
 * The errors of fields by their names: positions count system fields and stored ones too, which nobody sees. A field
 * without a name, and a second one of the same, keeps its position.
 */
function byName(errors: FieldErrors, names: readonly string[]): FieldErrors {
  const named = new Map<string, FieldErrors[string]>();
  for (const [position, error] of Object.entries(errors)) {
    const name = names[Number(position)];
    named.set(name && !named.has(name) ? name : position, error);
  }
  return Object.fromEntries(named);
}

function failure(message: string, params?: Readonly<Record<string, unknown>>): ValidationError {
  const error = fieldError('validation_collections_import_failure', params, message);
  return new ValidationError({ collections: error }, message);
}
