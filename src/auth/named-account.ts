import type { Collection } from '../kernel/collections/collection.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { AuthRecords } from '../records/auth-records.js';

/**
 * The account that a hook has put into its event, as it is stored now, because the handler may have changed the object.
 * Undefined when there is none; throws when it is of another collection.
 */
export async function namedAccount(
  accounts: AuthRecords,
  collection: Collection,
  named: RecordModel | null,
): Promise<RecordModel | undefined> {
  if (!named) return undefined;
  if (named.collection.id !== collection.id) {
    throw new Error(`A hook named a record of "${named.collection.name}" for a sign-in to "${collection.name}".`);
  }
  return (await accounts.findById(collection, named.id))?.snapshot();
}
