import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { DatabaseError } from '../../database/database.error.js';
import { TimeSlices } from '../../database/time-slices.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { andThen, type MaybePromise, andCatch } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordInput } from '../../kernel/records/record-input.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AssumedReferences } from './assumed-references.js';
import type { PreparedPasswords } from './prepared-passwords.js';
import { type Prepared, RecordBuilder } from './record-builder.js';
import { RecordRows } from '../record-rows.js';
import { toWriteError } from './record-write-errors.js';
import { RecordWriter } from './record-writer.js';
import { SavePreparation } from './save-preparation.js';
import { ConsistentReads } from '../read/consistent-reads.js';
import { type WriteRequest, WriteTargets } from './write-targets.js';

/** What an upsert turns out to be. */
export type UpsertKind = 'create' | 'update';

/**
 * An open transaction that is given up as a whole when the save fails: then nothing has to be undone for the save
 * alone, which spares it a scope of its own.
 */
export interface JoinedTransaction {
  /** What was hashed or compared before it was opened. */
  readonly passwords: PreparedPasswords;
}

/** Further work in the transaction that stores a record, right after it: a throw undoes both. */
type FurtherWork = (record: RecordModel) => Promise<void>;

interface SaveRequest extends WriteRequest {
  readonly kind: UpsertKind;
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
  /** As in UpdateOptions. */
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
    private readonly reads: ConsistentReads,
    private readonly targets: WriteTargets,
    private readonly builder: RecordBuilder,
    private readonly preparation: SavePreparation,
    private readonly rows: RecordRows,
    private readonly writer: RecordWriter,
  ) {}

  /**
   * Stores a new record in the collection of this name or id. Throws 404 when there is none, 403 for a closed rule,
   * 400 for a view and when the rule does not hold, a ValidationError for wrong values.
   */
  create(
    collection: string,
    input: RecordInput,
    caller: Caller | null,
    { also, joined }: { readonly also?: FurtherWork; readonly joined?: JoinedTransaction } = {},
  ): MaybePromise<RecordModel> {
    const wanted = { collection, kind: 'create', caller } as const;
    if (joined) return this.carryOut(wanted, this.createSteps(input, 'part', also), joined);
    return this.save(wanted, input, this.createSteps(input, 'whole', also));
  }

  /** As `create`, for a record that is there; 404 when there is no such record for this caller. */
  update(
    collection: string,
    id: string,
    input: RecordInput,
    caller: Caller | null,
    { onlyChanged, joined }: { readonly onlyChanged?: boolean; readonly joined?: JoinedTransaction } = {},
  ): MaybePromise<RecordModel> {
    const wanted = { collection, kind: 'update', caller } as const;
    const steps = this.updateSteps(id, input, onlyChanged);
    return joined ? this.carryOut(wanted, steps, joined) : this.save(wanted, input, steps);
  }

  /** Updates the record whose id stands in the input, or creates it; decided inside the transaction (BAT-15). */
  upsert(
    collection: string,
    input: RecordInput,
    caller: Caller | null,
    { joined }: { readonly joined?: JoinedTransaction } = {},
  ): MaybePromise<RecordModel> {
    if (joined) return this.upsertNow(collection, input, caller, joined);
    const target = this.reads.of(collection, caller, (found) => found);
    return andThen(target, (found) => {
      if (this.preparation.isSlow(found, input)) return this.upsertSlowly(collection, input, caller);
      return this.database.transaction(async () => this.upsertNow(collection, input, caller, {}));
    });
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
  private createSteps(input: RecordInput, extent: 'whole' | 'part', also?: FurtherWork): SaveSteps {
    const isWhole = extent === 'whole';
    const temporary = { id: '' };
    return {
      build: (target, asker, prepared) => this.builder.newRecord(target, input, asker, prepared, temporary),
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
      build: (target, asker, prepared) => this.builder.changedRecord(target, id, input, asker, prepared),
      write: (record, asker) => this.writer.update(record, { caller: asker, onlyChanged }),
      onlyChanged,
    };
  }

  private save(wanted: SaveRequest, input: RecordInput, steps: SaveSteps): MaybePromise<RecordModel> {
    const collection = this.targets.find(wanted);
    if (this.preparation.isSlow(collection, input)) return this.saveSlowly(wanted, steps);
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
    const prepared = await this.preparation.prepare(wanted, steps);
    try {
      return await explained(wanted, (explain) =>
        this.database.ruleQuestions.withPrefetch((options) =>
          this.database.transaction(async () => explain(work(prepared)), options),
        ),
      );
    } finally {
      await this.preparation.discard(prepared);
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
