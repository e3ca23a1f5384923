import { Injectable } from '@nestjs/common';
import { TimeSlices } from '../../database/time-slices.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { newRecordId } from '../../kernel/ids.js';
import { andThen, series, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import { applyInput, type RecordInput } from '../../kernel/records/record-input.js';
import { RecordModel } from '../../kernel/records/record-model.js';
import { isFine } from '../../kernel/validation/validate-object.js';
import { createRefused, recordNotFound } from '../record-errors.js';
import { RecordRows } from '../record-rows.js';
import { RecordRules } from '../record-rules.js';
import { accountErrors } from './account-checks.js';
import type { AssumedReferences } from './assumed-references.js';
import type { PreparedPasswords } from './prepared-passwords.js';
import { RecordPasswords } from './record-passwords.js';
import { failureText } from './record-validator.js';

/** What was done before the transaction. */
export interface Prepared {
  readonly passwords?: PreparedPasswords;
  /** The record as it was then, with its files stored; absent while it is not known yet. */
  readonly record?: RecordModel;
  /** What is left to the statement that stores the record. */
  readonly assumed?: AssumedReferences;
}

/** Makes the record that is to be stored: input laid over what is there, rule, account checks (chapter 02 §2). */
@Injectable()
export class RecordBuilder {
  constructor(
    private readonly rows: RecordRows,
    private readonly rules: RecordRules,
    private readonly passwords: RecordPasswords,
  ) {}

  /** A new record. Throws 400 when the create rule does not hold for it. */
  newRecord(
    collection: Collection,
    input: RecordInput,
    caller: Caller | null,
    prepared: Prepared,
    /** The id that rules see while the record has none; it must not change between two evaluations. */
    temporary: { id: string },
  ): MaybePromise<RecordModel> {
    const record = RecordModel.blank(collection);
    const candidate = () => {
      const row = record.toRow();
      row['id'] ||= temporary.id ||= newRecordId();
      if (collection.isAuth) row['verified'] = 0;
      return row;
    };
    return andThen(this.fill(record, input, caller, prepared), (asker) => {
      const checked = series(
        () =>
          asker ? andThen(this.rules.createHolds(collection, candidate, asker), orThrow(createRefused)) : undefined,
        () =>
          this.checkAccount(record, input, { asker, prepared }, () =>
            this.rules.wouldManage(collection, candidate, asker!),
          ),
      );
      return andThen(checked, () => {
        // Files are stored under the record's id before its row exists, so both runs must use the same one.
        if (prepared.record && !record.id) record.set('id', prepared.record.id);
        return record;
      });
    });
  }

  /** A stored record with its changes. Throws 404 when there is none that this caller may update. */
  changedRecord(
    collection: Collection,
    id: string,
    input: RecordInput,
    caller: Caller | null,
    prepared: Prepared,
  ): MaybePromise<RecordModel> {
    return andThen(this.rows.findToWrite(collection, id), (record) => {
      if (!record) throw recordNotFound();
      return andThen(this.fill(record, input, caller, prepared), (asker) => {
        const holds = () =>
          asker ? andThen(this.rules.holds(collection, id, 'update', asker), orThrow(recordNotFound)) : undefined;
        const checked = series(holds, () =>
          this.checkAccount(record, input, { asker, prepared }, () => this.rules.manages(collection, id, asker!)),
        );
        return andThen(checked, () => record);
      });
    });
  }

  /** Lays the input over the record; the answer is the caller with the body that rules see (BODY-15). */
  private fill(
    record: RecordModel,
    input: RecordInput,
    caller: Caller | null,
    prepared: Prepared,
  ): MaybePromise<Caller | null> {
    const slices = new TimeSlices();
    const allowHidden = caller === null || caller.isSuperuser;
    const laying = applyInput(record, input, { allowHidden, pause: () => slices.pause() });
    return andThen(laying, (body) => {
      if (prepared.passwords) this.passwords.reuse(record, prepared.passwords);
      return caller?.withRequest({ body }) ?? null;
    });
  }

  /** The checks on accounts (AUTH-601). They are skipped for code that acts with full rights. */
  private checkAccount(
    record: RecordModel,
    input: RecordInput,
    { asker, prepared }: { readonly asker: Caller | null; readonly prepared: Prepared },
    manages: () => MaybePromise<boolean>,
  ): MaybePromise<void> {
    if (record.collection.isAuth && asker) {
      return this.checkAccountOf(record, input, { caller: asker, prepared: prepared.passwords }, manages);
    }
  }

  private async checkAccountOf(
    record: RecordModel,
    { values }: RecordInput,
    context: { readonly caller: Caller; readonly prepared: PreparedPasswords | undefined },
    manages: () => MaybePromise<boolean>,
  ): Promise<void> {
    const errors = await accountErrors(record, {
      values,
      mayManage: context.caller.isSuperuser || (await manages()),
      isStoredPassword: (plain) => this.passwords.isStored(record, plain, context),
    });
    if (!isFine(errors)) throw new ValidationError(errors, failureText(record.isNew));
  }
}

function orThrow(refusal: () => Error): (holds: boolean) => void {
  return (holds) => {
    if (!holds) throw refusal();
  };
}
