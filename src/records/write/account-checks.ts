import type { FieldError } from '../../kernel/errors/field-error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import { castToText } from '../../kernel/fields/value-casts.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/** What was sent for an auth record beside its fields (AUTH-601). */
export interface AccountInput {
  readonly values: Readonly<Record<string, unknown>>;
  /** True for superusers and for callers the manage rule lets manage this record. */
  readonly mayManage: boolean;
  /** Compares a plain password with the stored one. */
  readonly isStoredPassword: (plain: string) => Promise<boolean>;
}

/**
 * The checks on passwords, email and verified that come before a record's own validation (AUTH-601 to AUTH-603).
 * The record has the new values already. `{}` when all hold.
 */
export async function accountErrors(record: RecordModel, input: AccountInput): Promise<Record<string, FieldError>> {
  const errors: Record<string, FieldError> = {};
  checkManaged(record, input, errors);
  await checkPasswords(record, input, errors);
  return errors;
}

function checkManaged(record: RecordModel, { mayManage }: AccountInput, errors: Record<string, FieldError>): void {
  if (mayManage) return;
  const before = record.isNew ? false : record.original('verified');
  if (record.get('verified') !== before) errors['verified'] = fieldError('validation_values_mismatch');
  if (!record.isNew && record.get('email') !== record.original('email')) {
    errors['email'] = fieldError('validation_values_mismatch');
  }
}

async function checkPasswords(
  record: RecordModel,
  { values, mayManage, isStoredPassword }: AccountInput,
  errors: Record<string, FieldError>,
): Promise<void> {
  if (isSetByCode(values['password'])) return;
  // Read as the password is: what consists of digits arrives from a form as a number (BODY-5).
  const confirm = castToText(values['passwordConfirm']);
  const old = castToText(values['oldPassword']);
  const sent = 'password' in values;
  const plain = sent ? plainOf(record) : '';
  const needed = record.isNew || confirm !== '' || old !== '' || plain !== '';
  if (plain === '' && (needed || sent)) errors['password'] = fieldError('validation_required');
  if (!needed) return;
  if (confirm === '') errors['passwordConfirm'] = fieldError('validation_required');
  else if (confirm !== plain) errors['passwordConfirm'] = fieldError('validation_values_mismatch');
  if (record.isNew || mayManage || (plain === '' && confirm === '')) return;
  if (old === '') errors['oldPassword'] = fieldError('validation_required');
  else if (!(await isStoredPassword(old))) errors['oldPassword'] = fieldError('validation_invalid_old_password');
}

/** A ready hash: nothing a client can send, so nobody has to repeat it. */
function isSetByCode(value: unknown): boolean {
  return value instanceof PasswordValue && value.plain === undefined && !value.isEmpty;
}

function plainOf(record: RecordModel): string {
  const value = record.get('password');
  return value instanceof PasswordValue ? (value.plain ?? '') : '';
}
