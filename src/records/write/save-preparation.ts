import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordInput } from '../../kernel/records/record-input.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { isFine } from '../../kernel/validation/validate-object.js';
import { BeforeRecordCreate, BeforeRecordUpdate } from '../record.hooks.js';
import { PreparedPasswords } from './prepared-passwords.js';
import { RecordAutoValues } from './record-auto-values.js';
import type { Prepared } from './record-builder.js';
import { RecordFiles } from './record-files.js';
import { RecordPasswords } from './record-passwords.js';
import { failureText, RecordValidator } from './record-validator.js';
import { type WriteRequest, WriteTargets } from './write-targets.js';

/** The record as it is to be stored, and what of it is validated. */
interface Draft {
  readonly build: (collection: Collection, caller: Caller | null, prepared: Prepared) => MaybePromise<RecordModel>;
  readonly onlyChanged?: boolean;
}

/** The slow part of a save, done before its transaction: hashing passwords and storing files (FILE-1). */
@Injectable()
export class SavePreparation {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
    private readonly validator: RecordValidator,
    private readonly autoValues: RecordAutoValues,
    private readonly passwords: RecordPasswords,
    private readonly files: RecordFiles,
    private readonly targets: WriteTargets,
  ) {}

  /** True when there is slow work to be done and a transaction is not open anyway. */
  isSlow(collection: Collection, { values, files }: RecordInput): boolean {
    if (this.database.inTransaction) return false;
    return files.size > 0 || this.passwords.areIn(values, collection);
  }

  /** Hashes passwords and stores files before the transaction. Throws when the write would be refused anyway. */
  async prepare(wanted: WriteRequest, draft: Draft): Promise<Required<Pick<Prepared, 'record' | 'passwords'>>> {
    const passwords = new PreparedPasswords();
    const record = await this.targets.read(wanted, async (collection, caller) => {
      const built = await draft.build(collection, caller, { passwords });
      await this.requirePromising(built, draft);
      return built;
    });
    await this.passwords.hash(record, { caller: wanted.caller, prepared: passwords });
    try {
      await this.files.store(record);
    } catch (error) {
      await this.files.discard(record);
      throw error;
    }
    return { record, passwords };
  }

  /** Removes the files that the save did not use: all of them when it failed, otherwise those a hook has removed. */
  discard({ record }: Required<Pick<Prepared, 'record'>>): Promise<void> {
    return this.files.discard(record);
  }

  /** Throws a ValidationError when the write would be refused, as far as can be known beforehand. */
  private async requirePromising(record: RecordModel, { onlyChanged }: Draft): Promise<void> {
    this.autoValues.complete(record);
    const errors = await this.validator.errorsOf(record, { onlyChanged });
    // A hook may still correct other values, so only errors of the slow fields refuse the write here.
    const hook = record.isNew ? BeforeRecordCreate : BeforeRecordUpdate;
    const isFinal = !this.hooks.has(hook, record.collection);
    const slow = record.collection.fields.filter((field) => field.type === 'file' || field.type === 'password');
    if (isFinal ? !isFine(errors) : slow.some((field) => errors[field.name])) {
      throw new ValidationError(errors, failureText(record.isNew));
    }
  }
}
