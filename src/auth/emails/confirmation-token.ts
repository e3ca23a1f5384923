import type { Collection } from '../../kernel/collections/collection.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { TokenClaims } from '../../tokens/token-claims.js';

/** A token of a mail that was found to be good, and whose it is. */
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
