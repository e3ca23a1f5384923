import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';

/** The error for verification and change of address, which superusers do not need (AUTH-1103). */
export function notForSuperusers({ id }: Collection): BadRequestError | undefined {
  return id === SUPERUSERS_ID ? new BadRequestError('This is not available for superusers.') : undefined;
}
