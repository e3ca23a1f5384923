import { Injectable } from '@nestjs/common';
import { PasswordValue } from '../kernel/fields/password-value.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { PasswordHasher } from '../passwords/password-hasher.js';

/** Hashes the passwords of a record, and compares them. */
@Injectable()
export class RecordPasswords {
  constructor(private readonly hasher: PasswordHasher) {}

  /** Gives every new password its hash. Slow: done before a transaction is opened wherever that is possible. */
  hash(record: RecordModel): MaybePromise<void> {
    const unhashed = this.of(record).filter(([, value]) => value.needsHash);
    if (unhashed.length > 0) return this.hashAll(record, unhashed);
  }

  /** The values of the record's password fields by name. */
  of(record: RecordModel): [string, PasswordValue][] {
    const passwords: [string, PasswordValue][] = [];
    for (const { name } of record.collection.fields) {
      const value = record.get(name);
      if (value instanceof PasswordValue) passwords.push([name, value]);
    }
    return passwords;
  }

  /** True when the plain text is the stored password of an auth record. */
  isStored(record: RecordModel, plain: string): Promise<boolean> {
    const stored = record.original('password');
    return this.hasher.matches(plain, stored instanceof PasswordValue ? stored.hash : undefined);
  }

  private async hashAll(record: RecordModel, passwords: readonly [string, PasswordValue][]): Promise<void> {
    for (const [name, value] of passwords) {
      const cost = Number(record.collection.field(name)!['cost'] ?? 0);
      record.setValue(name, value.withHash(await this.hasher.hash(value.plain!, cost)));
    }
  }
}
