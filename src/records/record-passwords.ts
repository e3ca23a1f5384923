import { Injectable } from '@nestjs/common';
import { PasswordValue } from '../kernel/fields/password-value.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { PasswordHasher } from '../passwords/password-hasher.js';

/** Hashes the passwords of a record, and compares them. */
@Injectable()
export class RecordPasswords {
  constructor(private readonly hasher: PasswordHasher) {}

  /** Gives every new password its hash. Slow: done before a transaction is opened wherever that is possible. */
  async hash(record: RecordModel): Promise<void> {
    for (const [name, value] of this.of(record)) {
      if (!value.needsHash) continue;
      const cost = Number(record.collection.field(name)!['cost'] ?? 0);
      record.setValue(name, value.withHash(await this.hasher.hash(value.plain!, cost)));
    }
  }

  /** The values of the record's password fields by name. */
  of(record: RecordModel): [string, PasswordValue][] {
    return record.collection.fields
      .map((field): [string, unknown] => [field.name, record.get(field.name)])
      .filter((entry): entry is [string, PasswordValue] => entry[1] instanceof PasswordValue);
  }

  /** True when the plain text is the stored password of an auth record. */
  isStored(record: RecordModel, plain: string): Promise<boolean> {
    const stored = record.original('password');
    return this.hasher.matches(plain, stored instanceof PasswordValue ? stored.hash : undefined);
  }
}
