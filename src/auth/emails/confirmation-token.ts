import type { Collection } from '../../kernel/collections/collection.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import { StaleRecordError } from '../../kernel/errors/stale-record.error.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { TokenClaims } from '../../tokens/token-claims.js';

/** A valid token of a mail, and its account. */
export interface Confirmation {
  readonly record: RecordModel;
  readonly claims: TokenClaims;
}

/** What is wrong with a token of a mail, as far as all confirmations agree (AUTH-1104). */
export function tokenError(collection: Collection, found: Confirmation | undefined): FieldError | undefined {
  if (!found) return fieldError('validation_invalid_token');
  if (found.record.collection.id !== collection.id) return fieldError('validation_token_collection_mismatch');
  return undefined;
}

/**
 * Does what a token allows, which revokes all tokens of its account. Throws a ValidationError when another request was
 * first: the row is changed only if its tokens are still those that were checked (SCALE-16).
 */
export async function usingOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StaleRecordError)) throw error;
    throw new ValidationError({ token: fieldError('validation_invalid_token') });
  }
}
