import type { CollectionBody } from '../kernel/collections/collection-body.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isJsonObject } from '../kernel/json-object.js';

/** What is to be imported. */
export interface ImportRequest {
  readonly collections: readonly CollectionBody[];
  readonly deleteMissing: boolean;
}

/**
 * Reads the body of an import (COL-93). Throws 400 when a property has the wrong JSON type, and a ValidationError
 * when there are no collections: an empty import could only delete everything.
 */
export function importRequest(body: CollectionBody): ImportRequest {
  const collections = body.collections ?? [];
  const deleteMissing = body.deleteMissing ?? false;
  if (!Array.isArray(collections) || !collections.every(isJsonObject)) {
    throw new BadRequestError('The collections have to be a list of objects.');
  }
  if (typeof deleteMissing !== 'boolean') throw new BadRequestError('deleteMissing has to be true or false.');
  if (collections.length === 0) throw new ValidationError({ collections: fieldError('validation_required') });
  return { collections, deleteMissing };
}
