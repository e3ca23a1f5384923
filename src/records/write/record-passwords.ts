import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import type { PasswordDefinition, PasswordField } from '../../kernel/fields/password-field.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import { castToText } from '../../kernel/fields/value-casts.js';
import { andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { FairTurn } from '../../kernel/fair-queue.js';
import { PasswordChecks } from '../../passwords/password-checks.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { RecordRows } from '../record-rows.js';
import type { PreparedPasswords } from './prepared-passwords.js';

/** For whom passwords are hashed, and where the results are kept. */
export interface PasswordContext {
  /** null for code that acts by itself. */
  readonly caller: Caller | null;
  readonly prepared?: PreparedPasswords;
}

/** Hashes the passwords of records, and compares them. */
@Injectable()
export class RecordPasswords {
  constructor(
    private readonly database: Database,
    private readonly rows: RecordRows,
    private readonly hasher: PasswordHasher,
    private readonly checks: PasswordChecks,
  ) {}

  /** Gives every new password its hash. Slow: done before a transaction is opened wherever that is possible. */
  hash(record: RecordModel, context: PasswordContext): MaybePromise<void> {
    const unhashed = this.of(record).filter(([, value]) => value.needsHash);
    if (unhashed.length > 0) return this.hashAll(record, unhashed, context);
  }

  /** Gives new passwords the hashes that were made before. */
  reuse(record: RecordModel, prepared: PreparedPasswords): void {
    for (const [name, value] of this.of(record)) {
      if (!value.needsHash) continue;
      const hash = prepared.hashOf(value.plain!, costOf(record.collection.field(name)!));
      if (hash !== undefined) record.setValue(name, value.withHash(hash));
    }
  }

  /** True when a body with these values takes hashing or comparing. */
  areIn(values: Readonly<Record<string, unknown>>, collection: Collection): boolean {
    if (collection.isAuth && Boolean(values['oldPassword'])) return true;
    return collection.fields.some((field) => field.type === 'password' && Boolean(values[field.name]));
  }

  /**
   * Hashes and compares the passwords of a body for a transaction that is yet to be opened, as far as they can be
   * known; `id` is that of the record to be changed, if any. Throws 429 when too much waits to be hashed already.
   */
  prepare(
    values: Readonly<Record<string, unknown>>,
    collection: Collection,
    id: string | undefined,
    context: Required<PasswordContext>,
  ): MaybePromise<void> {
    if (!this.areIn(values, collection)) return;
    const stored = id === undefined ? undefined : this.rows.find(collection, id);
    return andThen(stored, (record) => this.prepareAll(values, collection, record, context));
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

  /**
   * Whether the plain text is the stored password of an auth record. Throws 429 after too many wrong guesses. Inside a
   * transaction for which passwords were prepared, a password that has been changed since counts as wrong.
   */
  async isStored(record: RecordModel, plain: string, { caller, prepared }: PasswordContext): Promise<boolean> {
    const stored = record.original('password');
    const hash = stored instanceof PasswordValue ? stored.hash : '';
    const known = prepared?.matches(plain, hash);
    if (known !== undefined) return known;
    if (prepared && this.database.inTransaction) return false;
    const { collection, id } = record;
    const guess = { account: `${collection.id}/${id}`, ip: caller?.ip ?? '' };
    const isSame = await this.checks.isRight({
      plain,
      stored: hash,
      cost: costOf(collection.field('password')!),
      ...guess,
    });
    prepared?.addComparison(plain, hash, isSame);
    return isSame;
  }

  /** Invalid values are skipped, because validation refuses them later. */
  private async prepareAll(
    values: Readonly<Record<string, unknown>>,
    collection: Collection,
    stored: RecordModel | undefined,
    context: Required<PasswordContext>,
  ): Promise<void> {
    for (const field of collection.fields) {
      if (field.type !== 'password' || !values[field.name]) continue;
      const type = collection.typeOf(field) as PasswordField;
      const value = type.normalize(values[field.name]);
      if (!value.needsHash || type.validate(value, field as PasswordDefinition)) continue;
      await this.hashOne(value.plain!, costOf(field), turnOf(collection.id, context), context.prepared);
    }
    const old = castToText(values['oldPassword']);
    if (collection.isAuth && stored && old !== '' && !context.caller?.isSuperuser)
      await this.isStored(stored, old, context);
  }

  private async hashAll(
    record: RecordModel,
    passwords: readonly [string, PasswordValue][],
    context: PasswordContext,
  ): Promise<void> {
    const turn = turnOf(record.collection.id, context);
    for (const [name, value] of passwords) {
      const cost = costOf(record.collection.field(name)!);
      record.setValue(name, value.withHash(await this.hashOne(value.plain!, cost, turn, context.prepared)));
    }
  }

  private async hashOne(plain: string, cost: number, turn: FairTurn, prepared?: PreparedPasswords): Promise<string> {
    const known = prepared?.hashOf(plain, cost);
    if (known !== undefined) return known;
    const hash = await this.hasher.hash(plain, cost, turn);
    prepared?.addHash(plain, cost, hash);
    return hash;
  }
}

function costOf(field: FieldDefinition): number {
  return Number(field['cost'] ?? 0);
}

function turnOf(account: string, { caller }: PasswordContext): FairTurn {
  return { client: clientOf(caller?.ip ?? ''), account };
}
