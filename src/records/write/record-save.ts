import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { DatabaseError } from '../../database/database.error.js';
import { TimeSlices } from '../../database/time-slices.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { newRecordId } from '../../kernel/ids.js';
import { andThen, series, type MaybePromise, andCatch } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import { applyInput, type RecordInput } from '../../kernel/records/record-input.js';
import { RecordModel } from '../../kernel/records/record-model.js';
import { isFine } from '../../kernel/validation/validate-object.js';
import { AssumedReferences } from './assumed-references.js';
import { checkAuthForm } from './account-checks.js';
import { PreparedPasswords } from './prepared-passwords.js';
import { RecordAutoValues } from './record-auto-values.js';
import { createRefused, recordNotFound } from '../record-errors.js';
import { RecordFiles } from './record-files.js';
import { type PasswordContext, RecordPasswords } from './record-passwords.js';
import { RecordRows } from '../record-rows.js';
import { RecordRules } from '../record-rules.js';
import { failureText, RecordValidator } from './record-validator.js';
import { toWriteError } from './record-write-errors.js';
import { RecordWriter } from './record-writer.js';
import { BeforeRecordCreate, BeforeRecordUpdate } from '../record.hooks.js';
import { ConsistentReads } from '../read/consistent-reads.js';
import { type WriteRequest, WriteTargets } from './write-targets.js';

/** What an upsert turns out to be. */
export type UpsertKind = 'create' | 'update';

/** What a save is part of. */
export interface SaveContext {
  /**
   * True where a transaction is open that is given up as a whole when the save fails: then nothing has to be undone
   * for the save alone, which spares it a scope of its own.
   */
  readonly joins?: boolean;
  /** Passwords that were hashed or compared before that transaction was opened. */
  readonly passwords?: PreparedPasswords;
}

/** What an update is part of. */
export interface UpdateContext extends SaveContext {
  /** As in UpdateOptions. */
  readonly onlyChanged?: boolean;
}

/** What a create is part of. */
export interface CreateContext extends SaveContext {
  /** Further work in the transaction that stores the record, right after it: a throw undoes both. */
  readonly also?: (record: RecordModel) => Promise<void>;
}

interface SaveRequest extends WriteRequest {
  readonly kind: UpsertKind;
}

/** What was done before the transaction. */
interface Prepared {
  readonly passwords?: PreparedPasswords;
  /** The record as it was then, with its files stored; absent while it is not known yet. */
  readonly record?: RecordModel;
  /** What is left to the statement that stores the record. */
  readonly assumed?: AssumedReferences;
}

/** A record in the making, and how it is stored. */
interface SaveSteps {
  /** The record with the input laid over it, allowed to this caller. */
  readonly build: (collection: Collection, caller: Caller | null, prepared: Prepared) => MaybePromise<RecordModel>;
  readonly write: (record: RecordModel, caller: Caller | null, prepared: Prepared) => MaybePromise<void>;
  /** True where the transaction is that of a new record and nothing else, unless there are hooks. */
  readonly isWholeCreate?: boolean;
  /** True where code of others runs in the transaction besides the hooks. */
  readonly hasCodeInTransaction?: boolean;
  readonly onlyChanged?: boolean;
}

/**
 * Creates and updates records from what a caller sent: input, rule, account checks, then the write (chapter 02 §2).
 *
 * Everything that decides happens inside the write transaction, on the values read there (BODY-16). Hashing and
 * storing files are slow: they are done before it is opened, after a first run of rule and validation (FILE-1), and
 * their results are used again inside. Should the collection or a hook want passwords hashed otherwise in between, that
 * is done there.
 */
@Injectable()
export class RecordSave {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
    private readonly rows: RecordRows,
    private readonly rules: RecordRules,
    private readonly validator: RecordValidator,
    private readonly autoValues: RecordAutoValues,
    private readonly passwords: RecordPasswords,
    private readonly files: RecordFiles,
    private readonly writer: RecordWriter,
    private readonly reads: ConsistentReads,
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
    { also, joins, passwords }: CreateContext = {},
  ): MaybePromise<RecordModel> {
    const wanted = { collection, kind: 'create', caller } as const;
    if (joins) return this.carryOut(wanted, this.createSteps(input, 'part', also), { passwords });
    return this.save(wanted, input, this.createSteps(input, 'whole', also));
  }

  /** As `create`, for a record that is there; 404 when there is no such record for this caller. */
  update(
    collection: string,
    id: string,
    input: RecordInput,
    caller: Caller | null,
    { joins, onlyChanged, passwords }: UpdateContext = {},
  ): MaybePromise<RecordModel> {
    const wanted = { collection, kind: 'update', caller } as const;
    const steps = this.updateSteps(id, input, onlyChanged);
    return joins ? this.carryOut(wanted, steps, { passwords }) : this.save(wanted, input, steps);
  }

  /** Updates the record whose id stands in the input, or creates it; decided inside the transaction (BAT-15). */
  upsert(
    collection: string,
    input: RecordInput,
    caller: Caller | null,
    context: SaveContext = {},
  ): MaybePromise<RecordModel> {
    if (context.joins) return this.upsertNow(collection, input, caller, { passwords: context.passwords });
    const target = this.reads.of(collection, caller, (found) => found);
    return andThen(target, (found) => {
      if (this.isSlow(found, input)) return this.upsertSlowly(collection, input, caller);
      return this.database.transaction(async () => this.upsertNow(collection, input, caller, {}));
    });
  }

  /**
   * Makes the passwords of a body ready for a transaction that is yet to be opened, as far as they can be known. `id`
   * is that of the record to be changed, if any. Throws 429 when too much waits to be hashed already.
   */
  preparePasswords(
    collection: Collection,
    id: string | undefined,
    { values }: Pick<RecordInput, 'values'>,
    context: Required<PasswordContext>,
  ): MaybePromise<void> {
    if (!this.passwords.areIn(values, collection)) return;
    const stored = id === undefined ? undefined : this.rows.find(collection, id);
    return andThen(stored, (record) => this.passwords.prepare(values, collection, record, context));
  }

  /** A part of a consistent read, or of a transaction. */
  upsertKind(collection: Collection, { values }: RecordInput): MaybePromise<UpsertKind> {
    if ((typeof values['id'] !== 'string' && typeof values['id'] !== 'number') || values['id'] === '') return 'create';
    const id = String(values['id']);
    const find = (): MaybePromise<UpsertKind> =>
      andThen(this.rows.find(collection, id), (found) => (found ? 'update' : 'create'));
    return andThen(find(), (kind) => {
      if (kind === 'update' || !this.database.hasConcurrentWriters) return kind;
      // Of two upserts that create the same id at the same moment, the second waits and then updates.
      return andThen(this.rows.lockId(collection, id), find);
    });
  }

  private upsertNow(
    collection: string,
    input: RecordInput,
    caller: Caller | null,
    prepared: Prepared,
  ): MaybePromise<RecordModel> {
    return andThen(this.wantedUpsert(collection, input, caller), (wanted) => {
      // What was prepared for a new record cannot be used for one that was created meanwhile, except for its passwords.
      const isSame = prepared.record === undefined || prepared.record.isNew === (wanted.kind === 'create');
      const usable = isSame ? prepared : { passwords: prepared.passwords };
      return this.carryOut(wanted, this.upsertSteps(wanted, input), usable);
    });
  }

  private async upsertSlowly(collection: string, input: RecordInput, caller: Caller | null): Promise<RecordModel> {
    const wanted = await this.wantedUpsert(collection, input, caller);
    return this.afterPreparing(wanted, this.upsertSteps(wanted, input), (prepared) =>
      this.upsertNow(collection, input, caller, prepared),
    );
  }

  private wantedUpsert(collection: string, input: RecordInput, caller: Caller | null): MaybePromise<SaveRequest> {
    const kind = this.reads.of(collection, caller, (target) => this.upsertKind(target, input));
    return andThen(kind, (known) => ({
      collection,
      kind: known,
      caller: caller?.withRequest({ method: known === 'create' ? 'POST' : 'PATCH' }) ?? null,
    }));
  }

  private upsertSteps({ kind }: SaveRequest, input: RecordInput): SaveSteps {
    return kind === 'create' ? this.createSteps(input, 'part') : this.updateSteps(String(input.values['id']), input);
  }

  /** `extent`: whether the transaction is for this record alone. */
  private createSteps(input: RecordInput, extent: 'whole' | 'part', also?: CreateContext['also']): SaveSteps {
    const isWhole = extent === 'whole';
    const temporary = { id: '' };
    return {
      build: (target, asker, prepared) => this.newRecord(target, input, asker, prepared, temporary),
      write: (record, asker, { assumed }) => {
        const isLast = isWhole && !also && !this.writer.hasHooksInTransaction('create', record.collection);
        const options = { caller: asker, isLast, assumed: isLast ? assumed : undefined };
        return andThen(this.writer.insert(record, options), () => also?.(record));
      },
      isWholeCreate: isWhole && !also,
      hasCodeInTransaction: also !== undefined,
    };
  }

  private updateSteps(id: string, input: RecordInput, onlyChanged?: boolean): SaveSteps {
    return {
      build: (target, asker, prepared) => this.changedRecord(target, id, input, asker, prepared),
      write: (record, asker) => this.writer.update(record, { caller: asker, onlyChanged }),
      onlyChanged,
    };
  }

  private save(wanted: SaveRequest, input: RecordInput, steps: SaveSteps): MaybePromise<RecordModel> {
    const collection = this.targets.find(wanted);
    if (this.isSlow(collection, input)) return this.saveSlowly(wanted, steps);
    // Code of hooks may take long and may not be safe to run twice, so such a write does not share a transaction.
    const isOwn = steps.hasCodeInTransaction || this.writer.hasHooksInTransaction(wanted.kind, collection);
    let mayAssume = steps.isWholeCreate === true && !isOwn && this.database.savesRoundTrips;
    return explained(wanted, (explain) => {
      const work = () => {
        if (!mayAssume) return explain(this.carryOut(wanted, steps));
        mayAssume = false;
        return explain(this.assuming((assumed) => this.carryOut(wanted, steps, { assumed })));
      };
      return this.database.ruleQuestions.withPrefetch((options) =>
        isOwn
          ? this.database.transaction(async () => work(), options)
          : this.database.sharedTransactions.run(work, { prefetched: options.prefetched, late: steps.isWholeCreate }),
      );
    });
  }

  /**
   * Has work done again that fails with something taken for granted: what else is wrong is told with the truth of that.
   */
  private assuming<T>(work: (assumed: AssumedReferences) => MaybePromise<T>): MaybePromise<T> {
    const assumed = new AssumedReferences();
    return andCatch(
      () => work(assumed),
      (error) => {
        if (assumed.all.length === 0) throw error;
        throw new DatabaseError('busy', 'What a write depends on is to be asked.', {}, { cause: error });
      },
    );
  }

  private saveSlowly(wanted: WriteRequest, steps: SaveSteps): Promise<RecordModel> {
    return this.afterPreparing(wanted, steps, (prepared) => this.carryOut(wanted, steps, prepared));
  }

  private async afterPreparing(
    wanted: WriteRequest,
    steps: SaveSteps,
    work: (prepared: Prepared) => MaybePromise<RecordModel>,
  ): Promise<RecordModel> {
    const prepared = await this.prepare(wanted, steps);
    try {
      return await explained(wanted, (explain) =>
        this.database.ruleQuestions.withPrefetch((options) =>
          this.database.transaction(async () => explain(work(prepared)), options),
        ),
      );
    } finally {
      // Discards the files that the write did not use: all of them when it failed, otherwise those a hook has removed.
      await this.files.discard(prepared.record);
    }
  }

  /** In a transaction: with the collection and the caller as they are there. */
  private carryOut(
    wanted: WriteRequest,
    { build, write }: SaveSteps,
    prepared: Prepared = {},
  ): MaybePromise<RecordModel> {
    const slices = new TimeSlices();
    return this.targets.read(wanted, (collection, caller) =>
      andThen(build(collection, caller, prepared), (record) => {
        this.database.ruleQuestions.endPrefetch();
        const written = andThen(slices.pause(), () => write(record, caller, prepared));
        return andThen(written, () => record);
      }),
    );
  }

  /** True when there is slow work to be done and a transaction is not open anyway. */
  private isSlow(collection: Collection, { values, files }: RecordInput): boolean {
    if (this.database.inTransaction) return false;
    return files.size > 0 || this.passwords.areIn(values, collection);
  }

  /** Hashes passwords and stores files before the transaction. Throws when the write would be refused anyway. */
  private async prepare(
    wanted: WriteRequest,
    steps: SaveSteps,
  ): Promise<Required<Pick<Prepared, 'record' | 'passwords'>>> {
    const passwords = new PreparedPasswords();
    const record = await this.targets.read(wanted, async (collection, caller) => {
      const built = await steps.build(collection, caller, { passwords });
      await this.requirePromising(built, steps);
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

  /** Throws a ValidationError when the write would be refused, as far as can be known beforehand. */
  private async requirePromising(record: RecordModel, { onlyChanged }: SaveSteps): Promise<void> {
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

  private newRecord(
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

  private changedRecord(
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
    const errors = await checkAuthForm(record, {
      values,
      mayManage: context.caller.isSuperuser || (await manages()),
      isStoredPassword: (plain) => this.passwords.isStored(record, plain, context),
    });
    if (!isFine(errors)) throw new ValidationError(errors, failureText(record.isNew));
  }
}

/**
 * Runs a write on its own, and translates an error that the database reports only at commit: by then the record counts
 * as stored, and cannot say itself that it was to be created.
 */
function explained(
  { kind }: WriteRequest,
  write: (explain: (record: MaybePromise<RecordModel>) => MaybePromise<RecordModel>) => MaybePromise<RecordModel>,
): MaybePromise<RecordModel> {
  let last: RecordModel | undefined;
  return andCatch(
    () => write((writing) => andThen(writing, (record) => (last = record))),
    (error) => {
      throw last ? toWriteError(error, last, kind === 'create') : error;
    },
  );
}

function orThrow(refusal: () => Error): (holds: boolean) => void {
  return (holds) => {
    if (!holds) throw refusal();
  };
}
