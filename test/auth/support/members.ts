import type { AuthOptions, TokenOptions } from '../../../src/kernel/collections/auth-options.js';
import { Collection, type CollectionType } from '../../../src/kernel/collections/collection.js';
import { FieldTypeRegistry } from '../../../src/kernel/fields/field-type-registry.js';
import { TextField } from '../../../src/kernel/fields/text-field.js';
import { RecordModel } from '../../../src/kernel/records/record-model.js';

interface Variation {
  id?: string;
  type?: CollectionType;
  secret?: string;
}

/** A collection of members with the token durations of a new auth collection. */
export function accounts({ id = 'pbc_members', type = 'auth', secret = 's'.repeat(43) }: Variation = {}): Collection {
  const token = (name: string, duration: number): TokenOptions => ({ secret: `${name}-${secret}`, duration });
  const auth = {
    authToken: token('auth', 432000),
    fileToken: token('file', 180),
    verificationToken: token('verification', 86400),
    passwordResetToken: token('passwordReset', 1800),
    emailChangeToken: token('emailChange', 1800),
  } as unknown as AuthOptions;
  const field = (name: string) => {
    const common = { system: true, hidden: false, presentable: false, required: false, help: '' };
    return { id: `text_${name}`, name, type: 'text', ...common };
  };
  const fields = ['id', 'email', 'tokenKey'].map(field);
  const rules = { listRule: null, viewRule: null, createRule: null, updateRule: null, deleteRule: null };
  const common = { id, name: 'members', type, system: false, fields, indexes: [], created: '', updated: '', ...rules };
  return new Collection({ ...common, ...(type === 'auth' ? { auth } : {}) }, new FieldTypeRegistry([new TextField()]));
}

/** A stored record of such a collection. */
export function memberOf(collection: Collection, values: Record<string, string> = {}): RecordModel {
  const row = { id: 'member000000001', email: 'ann@x.io', tokenKey: 'k'.repeat(50), ...values };
  return RecordModel.fromRow(collection, row);
}
