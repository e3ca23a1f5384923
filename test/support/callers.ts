import type { Collection } from '../../src/kernel/collections/collection.js';
import { Caller, SUPERUSERS_ID } from '../../src/kernel/records/caller.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';

/** Somebody who signed in, without a record behind it: enough where only the kind of caller matters. */
export function callerOf(kind: 'guest' | 'user' | 'superuser', ip = '1.1.1.1'): Caller {
  if (kind === 'guest') return new Caller(null, undefined, ip);
  const collection = { id: kind === 'superuser' ? SUPERUSERS_ID : 'users' } as Collection;
  return new Caller({ id: 'someone', collection } as unknown as RecordModel, undefined, ip);
}
