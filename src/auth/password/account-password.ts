import type { Collection } from '../../kernel/collections/collection.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import { unknownHash } from '../../passwords/password-hasher.js';

/** The bcrypt cost of the passwords of an auth collection; 0 stands for the default. */
export function costOf(collection: Collection): number {
  return Number(collection.field('password')!['cost'] ?? 0);
}

/** A password with which nobody signs in, for accounts whose owners come another way (AUTH-505). */
export function unknownPassword(collection: Collection): PasswordValue {
  return PasswordValue.fromHash(unknownHash(costOf(collection)));
}
