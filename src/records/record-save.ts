import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Collection } from '../kernel/collections/collection.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { PasswordValue } from '../kernel/fields/password-value.js';
import { newRecordId } from '../kernel/ids.js';
import { andThen, inOrder, type MaybePromise } from '../kernel/maybe-promise.js';
import type { Caller } from '../kernel/records/caller.js';
import { applyInput, type RecordInput } from '../kernel/records/record-input.js';
import { RecordModel } from '../kernel/records/record-model.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { checkAuthForm } from './auth-form.js';
import { RecordCompletion } from './record-completion.js';
import { createRefused, recordNotFound } from './record-errors.js';
import { RecordFiles } from './record-files.js';
import { RecordPasswords } from './record-passwords.js';
import { RecordRows } from './record-rows.js';
import { RecordRules } from './record-rules.js';
import { failureText, RecordValidator } from './record-validator.js';
import { RecordWriter } from './record-writer.js';
import { BeforeRecordCreate, BeforeRecordUpdate } from './record.hooks.js';
import { SteadyReads } from './steady-reads.js';
import { type WantedWrite, WriteTargets } from './write-targets.js';

/** What an upsert turns out to be. */
export type UpsertKind = 'create' | 'update';

/** What a save is part of. */
export interface SaveTerms {
  /**
   * True where a transaction is open that is given up as a whole when the save fails: then nothing has to be undone
   * for the save alone, which spares it a scope of its own.
   */
  readonly joins?: boolean;
}

/** What an update is part of. */
export interface UpdateTerms extends SaveTerms {
  /** As in UpdateOptions. */
  readonly onlyChanged?: boolean;
}

/** What a create is part of. */
export interface CreateTerms extends SaveTerms {
  /** Further work in the transaction that stores the record, right after it: a throw undoes both. */
  readonly also?: (record: RecordModel) => Promise<void>;
}

interface WantedSave extends WantedWrite {
  readonly kind: UpsertKind;
}

/** A record in the making, and how it is stored. */
interface SaveSteps {
  /** The record with the input laid over it, allowed to this caller. `prepared` is what an earlier call made ready. */
  readonly build: (
    collection: Collection,
    caller: Caller | null,
    prepared: RecordModel | null,
  ) => MaybePromise<RecordModel>;
  readonly write: (record: RecordModel, caller: Caller | null) => MaybePromise<void>;
  /** True where code of others runs in the transaction besides the hooks. */
  readonly asksOthers?: boolean;
  readonly onlyChanged?: boolean;
}

/**
 * Creates and updates records from what a caller sent: input, rule, account checks, then the write (chapter 02 §2).
 *
 * Everything that decides happens inside the write transaction, on the values read there (BODY-16). Hashing and
 * storing files are slow: they are done before it is opened, after a first run of rule and validation (FILE-1), and
 * their results are used again inside. Should the collection have changed in between, so that passwords are to be
 * hashed otherwise, that is done there.
 */
@Injectable()
export class RecordSave {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
    private readonly rows: RecordRows,
    private readonly rules: RecordRules,
    private readonly validator: RecordValidator,
    private readonly completion: RecordCompletion,
    private readonly passwords: RecordPasswords,
    private readonly files: RecordFiles,
    private readonly writer: RecordWriter,
    private readonly reads: SteadyReads,
    private readonly targets: WriteTargets,
  ) {}

  /**
   * Stores a new record in the collection of this name or id. Throws 404 when there is none, 403 for a closed rule,
   * 400 for a view and when the rule does not hold, a ValidationError for wrong values.
   */
  create(
    collection: string,
    input: RecordInput,
    caller: Caller | null,
    { also, joins }: CreateTerms = {},
  ): MaybePromise<RecordModel> {
    const wanted = { collection, kind: 'create', caller } as const;
    const temporary = { id: '' };
    const steps: SaveSteps = {
      build: (target, asker, prepared) => this.newRecord(target, input, asker, prepared, temporary),
      write: (record, asker) => andThen(this.writer.insert(record, { caller: asker }), () => also?.(record)),
      asksOthers: also !== undefined,
    };
    return joins ? this.carryOut(wanted, steps) : this.save(wanted, input, steps);
  }

  /** As `create`, for a record that is there; 404 when there is no such record for this caller. */
  update(
    collection: string,
    id: string,
    input: RecordInput,
    caller: Caller | null,
    { joins, onlyChanged }: UpdateTerms = {},
  ): MaybePromise<RecordModel> {
    const wanted = { collection, kind: 'update', caller } as const;
    const steps: SaveSteps = {
      build: (target, asker, prepared) => this.changedRecord(target, id, input, asker, prepared),
      write: (record, asker) => this.writer.update(record, { caller: asker, onlyChanged }),
      onlyChanged,
    };
    return joins ? this.carryOut(wanted, steps) : this.save(wanted, input, steps);
  }

  /** Updates the record whose id stands in the input, or creates it; decided inside the transaction (BAT-15). */
  upsert(
    collection: string,
    input: RecordInput,
    caller: Caller | null,
    terms: SaveTerms = {},
  ): MaybePromise<RecordModel> {
    const upsert = () =>
      andThen(
        this.reads.of(collection, caller, (target) => this.upsertKind(target, input)),
        (kind) => {
          const as = caller?.withRequest({ method: kind === 'create' ? 'POST' : 'PATCH' }) ?? null;
          if (kind === 'create') return this.create(collection, input, as, terms);
          return this.update(collection, String(input.values['id']), input, as, terms);
        },
      );
    return terms.joins ? upsert() : this.database.transaction(async () => upsert());
  }

  /** A part of a steady read, or of a transaction. */
  upsertKind(collection: Collection, { values }: RecordInput): MaybePromise<UpsertKind> {
    const { id } = values;
    if ((typeof id !== 'string' && typeof id !== 'number') || id === '') return 'create';
    return andThen(this.rows.find(collection, String(id)), (found) => (found ? 'update' : 'create'));
  }

  private save(wanted: WantedSave, input: RecordInput, steps: SaveSteps): MaybePromise<RecordModel> {
    const collection = this.targets.find(wanted);
    if (this.isSlow(collection, input)) return this.saveSlowly(wanted, steps);
    const work = () => this.carryOut(wanted, steps);
    // How long others take nobody knows, nor whether what they do may be done twice.
    const isOwn = steps.asksOthers || this.writer.asksOthers(wanted.kind, collection);
    return this.database.foreseeing((options) =>
      isOwn ? this.database.transaction(async () => work(), options) : this.database.sharedTransaction(work, options),
    );
  }

  private async saveSlowly(wanted: WantedWrite, steps: SaveSteps): Promise<RecordModel> {
    const prepared = await this.prepare(wanted, steps);
    try {
      return await this.database.foreseeing((options) =>
        this.database.transaction(async () => this.carryOut(wanted, steps, prepared), options),
      );
    } finally {
      // What the write did not take stays nowhere: all of it when it failed, else what a hook took out of the record.
      await this.files.discard(prepared);
    }
  }

  /** In a transaction: with the collection and the caller as they are there. */
  private carryOut(
    wanted: WantedWrite,
    { build, write }: SaveSteps,
    prepared: RecordModel | null = null,
  ): MaybePromise<RecordModel> {
    return this.targets.read(wanted, (collection, caller) =>
      andThen(build(collection, caller, prepared), (record) => {
        this.database.endForesight();
        return andThen(write(record, caller), () => record);
      }),
    );
  }

  /** True when there is slow work to be done and a transaction is not open anyway. */
  private isSlow(collection: Collection, { values, files }: RecordInput): boolean {
    if (this.database.inTransaction) return false;
    if (files.size > 0) return true;
    return collection.fields.some((field) => field.type === 'password' && Boolean(values[field.name]));
  }

  /** The slow work on the record as it would be now, before the transaction. Throws what makes the work pointless. */
  private async prepare(wanted: WantedWrite, steps: SaveSteps): Promise<RecordModel> {
    const record = await this.targets.read(wanted, async (collection, caller) => {
      const built = await steps.build(collection, caller, null);
      await this.requirePromising(built, steps);
      return built;
    });
    await this.passwords.hash(record);
    try {
      await this.files.store(record);
    } catch (error) {
      await this.files.discard(record);
      throw error;
    }
    return record;
  }

  /** Throws a ValidationError when the write would be refused, as far as can be known beforehand. */
  private async requirePromising(record: RecordModel, { onlyChanged }: SaveSteps): Promise<void> {
    this.completion.complete(record);
    const errors = await this.validator.errorsOf(record, { onlyChanged });
    // A hook may still put a value right; what it cannot are the slow fields themselves.
    const hook = record.isNew ? BeforeRecordCreate : BeforeRecordUpdate;
    const isFinal = !this.hooks.has(hook, record.collection);
    const slow = record.collection.fields.filter((field) => field.type === 'file' || field.type === 'password');
    if (isFinal ? !isFine(errors) : slow.some((field) => errors[field.name])) {
      throw new ValidationError(errors, failureText(record));
    }
  }

  private newRecord(
    collection: Collection,
    input: RecordInput,
    caller: Caller | null,
    prepared: RecordModel | null,
    /** The id that rules see where there is none yet: the same whenever they are asked. */
    temporary: { id: string },
  ): MaybePromise<RecordModel> {
    const record = RecordModel.blank(collection);
    const asker = this.fill(record, input, caller, prepared);
    const candidate = () => {
      const row = record.toRow();
      row['id'] ||= temporary.id ||= newRecordId();
      if (collection.isAuth) row['verified'] = 0;
      return row;
    };
    const ready = inOrder(
      () => (asker ? andThen(this.rules.createHolds(collection, candidate, asker), orThrow(createRefused)) : undefined),
      () => this.checkAccount(record, input, asker, () => this.rules.wouldManage(collection, candidate, asker!)),
    );
    return andThen(ready, () => {
      // Files are stored under the record's id before the row exists, so both passes must agree on it.
      if (prepared && !record.id) record.set('id', prepared.id);
      return record;
    });
  }

  private changedRecord(
    collection: Collection,
    id: string,
    input: RecordInput,
    caller: Caller | null,
    prepared: RecordModel | null,
  ): MaybePromise<RecordModel> {
    return andThen(this.rows.find(collection, id), (record) => {
      if (!record) throw recordNotFound();
      const asker = this.fill(record, input, caller, prepared);
      const ready = inOrder(
        () => (asker ? andThen(this.rules.holds(collection, id, 'update', asker), orThrow(recordNotFound)) : undefined),
        () => this.checkAccount(record, input, asker, () => this.rules.manages(collection, id, asker!)),
      );
      return andThen(ready, () => record);
    });
  }

  /** Lays the input over the record; the answer is the caller with the body that rules see (BODY-15). */
  private fill(
    record: RecordModel,
    input: RecordInput,
    caller: Caller | null,
    prepared: RecordModel | null,
  ): Caller | null {
    const body = applyInput(record, input, { allowHidden: caller === null || caller.isSuperuser });
    if (prepared?.collection === record.collection) this.reusePasswords(record, prepared);
    return caller?.withRequest({ body }) ?? null;
  }

  private reusePasswords(record: RecordModel, prepared: RecordModel): void {
    for (const [name, value] of this.passwords.of(record)) {
      const hashed = prepared.get(name) as PasswordValue;
      if (value.needsHash && hashed.plain === value.plain) record.set(name, hashed);
    }
  }

  /** The checks on accounts (AUTH-601). Code that acts with full rights says what it wants in one place and is spared. */
  private checkAccount(
    record: RecordModel,
    input: RecordInput,
    asker: Caller | null,
    manages: () => MaybePromise<boolean>,
  ): MaybePromise<void> {
    if (record.collection.isAuth && asker) return this.checkAccountOf(record, input, asker, manages);
  }

  private async checkAccountOf(
    record: RecordModel,
    { values }: RecordInput,
    asker: Caller,
    manages: () => MaybePromise<boolean>,
  ): Promise<void> {
    const errors = await checkAuthForm(record, {
      values,
      mayManage: asker.isSuperuser || (await manages()),
      isStoredPassword: (plain) => this.passwords.isStored(record, plain),
    });
    if (!isFine(errors)) throw new ValidationError(errors, failureText(record));
  }
}

function orThrow(refusal: () => Error): (holds: boolean) => void {
  return (holds) => {
    if (!holds) throw refusal();
  };
}
