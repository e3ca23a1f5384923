import { clientOf } from '../../http/request/client-ip.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import { isHashable, type PasswordHasher, unknownHash } from '../../passwords/password-hasher.js';

/** The bcrypt cost of the passwords of an auth collection; 0 stands for the default. */
export function costOf(collection: Collection): number {
  return Number(collection.field('password')!['cost'] ?? 0);
}

/**
 * A password somebody chose, hashed before a transaction is opened. What bcrypt cannot take goes on without a hash, to
 * be refused where the record is validated.
 */
export async function newPassword(
  hasher: PasswordHasher,
  { collection, plain, ip }: { readonly collection: Collection; readonly plain: string; readonly ip: string },
): Promise<PasswordValue> {
  const value = PasswordValue.fromPlain(plain);
  if (!isHashable(plain)) return value;
  return value.withHash(await hasher.hash(plain, costOf(collection), { client: clientOf(ip), account: collection.id }));
}

/** A password with which nobody signs in, for accounts whose owners come another way (AUTH-505). */
export function unknownPassword(collection: Collection): PasswordValue {
  return PasswordValue.fromHash(unknownHash(costOf(collection)));
}
