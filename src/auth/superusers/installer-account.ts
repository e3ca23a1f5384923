import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/** The account behind the link that a fresh installation prints. */
export const INSTALLER_EMAIL = '__installer@example.com';

/** Why no superuser can have this address, undefined when one can. */
export function installerAddressError(email: string): FieldError | undefined {
  return email === INSTALLER_EMAIL ? fieldError('validation_not_in_invalid') : undefined;
}

/** True for that account (AUTH-1205). */
export function isInstaller(record: RecordModel): boolean {
  return record.collection.id === SUPERUSERS_ID && record.get('email') === INSTALLER_EMAIL;
}
