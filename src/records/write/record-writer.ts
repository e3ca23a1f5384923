import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { EVENT_BUS, type EventBus } from '../../events/event-bus.js';
import { StreamInterest } from '../../events/stream-interest.js';
import type { Hook } from '../../hooks/create-hook.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { series, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { AssumedReferences } from './assumed-references.js';
import { AuthEffects } from './auth-effects.js';
import { RecordChanged } from '../record-changed.event.js';
import { RecordAutoValues } from './record-auto-values.js';
import { RecordFiles } from './record-files.js';
import { RecordPasswords } from './record-passwords.js';
import { RecordsToTell } from './records-to-tell.js';
import { RecordRows } from '../record-rows.js';
import { RecordValidator } from './record-validator.js';
import { toWriteError } from './record-write-errors.js';
import {
  AfterRecordCreate,
  AfterRecordCreateFailed,
  AfterRecordDelete,
  AfterRecordDeleteFailed,
  AfterRecordUpdate,
  AfterRecordUpdateFailed,
  BeforeRecordCreate,
  BeforeRecordCreateCommit,
  BeforeRecordDelete,
  BeforeRecordDeleteCommit,
  BeforeRecordUpdate,
  BeforeRecordUpdateCommit,
  type RecordCreateEvent,
  type RecordFailedEvent,
  type RecordUpdatedEvent,
  ValidateRecord,
} from '../record.hooks.js';

const HOOKS_INSIDE = {
  create: [BeforeRecordCreate, ValidateRecord, BeforeRecordCreateCommit, AfterRecordCreateFailed],
  update: [BeforeRecordUpdate, ValidateRecord, BeforeRecordUpdateCommit, AfterRecordUpdateFailed],
};

const DELETE_HOOKS: readonly Hook<never>[] = [
  BeforeRecordDelete,
  BeforeRecordDeleteCommit,
  AfterRecordDelete,
  AfterRecordDeleteFailed,
];

/** How a record is stored. */
export interface WriteOptions {
  /** Who asked for it; null acts with full rights. For hooks only: rules were checked before. */
  readonly caller: Caller | null;
  /** False where a value is put right behind the user's back, as when a reference is cleared (REL-2). */
  readonly validate?: boolean;
  /** As in UpdateOptions. */
  readonly onlyChanged?: boolean;
  /** Nothing follows in the transaction, whose failure the caller explains as `toWriteError` does. */
  readonly isLast?: boolean;
  /** What validation may leave to the statement that stores a new record, which is the last one. */
  readonly assumed?: AssumedReferences;
}

/** What stopped a deletion with all that follows from it, once that is known. */
export interface RemovalOutcome {
  error?: unknown;
}

/** How records are deleted. */
export interface RemoveOptions {
  /** As in WriteOptions. */
  readonly caller: Caller | null;
  readonly outcome: RemovalOutcome;
}

/**
 * Stores one record: hooks, values the write itself decides, validation, files, the row, what follows for accounts,
 * the event. Every way a record can change ends here (EXT-33), always inside a transaction; rules are not its concern.
 */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
    private readonly rows: RecordRows,
    private readonly autoValues: RecordAutoValues,
    private readonly validator: RecordValidator,
    private readonly passwords: RecordPasswords,
    private readonly files: RecordFiles,
    private readonly authEffects: AuthEffects,
    private readonly toTell: RecordsToTell,
    private readonly streams: StreamInterest,
    @Inject(EVENT_BUS) private readonly events: EventBus,
  ) {}

  /** Whether a hook may change records of a collection while others of it are being changed. */
  mayBeChangedByHooks(collection: Collection): boolean {
    return [BeforeRecordUpdate, BeforeRecordUpdateCommit].some((hook) =>
      this.hooks.mayInterfere(hook as Hook<RecordCreateEvent>, collection),
    );
  }

  /** Whether a hook of such a write runs inside its transaction. */
  hasHooksInTransaction(kind: 'create' | 'update', collection: Collection): boolean {
    return HOOKS_INSIDE[kind].some((hook) => this.hooks.has(hook, collection));
  }

  /** Stores a new record. Throws a ValidationError when it is not valid or not unique. */
  insert(record: RecordModel, options: WriteOptions): MaybePromise<void> {
    const { caller } = options;
    const { collection } = record;
    let generatedId: string | undefined;
    return this.watch(AfterRecordCreateFailed, record, options, () =>
      series(
        () => {
          if (!this.hooks.has(BeforeRecordCreate, collection)) return;
          generatedId = this.autoValues.completeId(record);
          return this.hooks.run(BeforeRecordCreate, { record, caller }, collection);
        },
        () => this.completeAndCheck(record, options, generatedId),
        () => refusing(record, () => this.rows.insert(record, options)),
        () => this.hooks.run(BeforeRecordCreateCommit, { record, caller }, collection),
        () => this.tell(new RecordChanged('create', ...this.toTell.keep(record)), AfterRecordCreate, record, options),
      ),
    );
  }

  /** Stores the changes of a record. Throws a ValidationError when it is not valid or not unique. */
  update(record: RecordModel, options: WriteOptions): MaybePromise<void> {
    const before = record.snapshot();
    return this.watch(AfterRecordUpdateFailed, record, options, () =>
      series(
        () => this.hooks.run(BeforeRecordUpdate, { record, caller: options.caller }, record.collection),
        () => this.completeAndCheck(record, options),
        () => this.authEffects.beforeUpdate(record),
        () => refusing(record, () => this.rows.update(record)),
        () => this.authEffects.afterUpdate(record, before),
        () => this.files.dropReplaced(before, record),
        () => this.beforeUpdateCommit(record, before, options),
        () => {
          const event = new RecordChanged('update', ...this.toTell.keep(record, before));
          return this.tell(event, AfterRecordUpdate, record, options);
        },
      ),
    );
  }

  /** Whether hooks of deleting want to see the records of a collection go one by one. */
  hasDeleteHooks(collection: Collection): boolean {
    return [BeforeRecordDelete, BeforeRecordDeleteCommit].some((hook) => this.hooks.mayInterfere(hook, collection));
  }

  /**
   * Deletes the rows of records of one collection, as many as fit one statement; what refers to them is up to the
   * caller. Gives those that were still there.
   */
  async remove(
    collection: Collection,
    records: readonly RecordModel[],
    { caller, outcome }: RemoveOptions,
  ): Promise<readonly RecordModel[]> {
    if (this.hooks.has(AfterRecordDeleteFailed, collection)) {
      for (const record of records) this.watchRemoval(record, caller, outcome);
    }
    if (this.hooks.has(BeforeRecordDelete, collection)) {
      for (const record of records) await this.hooks.run(BeforeRecordDelete, { record, caller }, collection);
    }
    const ids = await this.rows.remove(
      collection,
      records.map(({ id }) => id),
    );
    const removed = records.filter(({ id }) => ids.has(id));
    if (removed.length === 0) return removed;
    await this.authEffects.afterRemove(collection, ids);
    // Published before cascades and account effects, so that events come in the order of the writes (RT-80).
    for (const record of removed) {
      this.tell(new RecordChanged('delete', ...this.toTell.keep(record)), AfterRecordDelete, record, { caller });
    }
    await this.files.dropAll(collection, ids);
    if (this.hooks.has(BeforeRecordDeleteCommit, collection)) {
      for (const record of removed) await this.hooks.run(BeforeRecordDeleteCommit, { record, caller }, collection);
    }
    return removed;
  }

  /** Whether nobody hears of deletes in a collection: no hook, no handler of events, no stream here or elsewhere. */
  deletesUnheard(collection: Collection): boolean {
    const isHooked = DELETE_HOOKS.some((hook) => this.hooks.hasWithoutStreams(hook, collection));
    return !isHooked && this.events.isHeard?.(RecordChanged) === false;
  }

  /** As `remove`, by ids alone. False, without having done anything, when somebody hears of it. */
  async removeUnheard(collection: Collection, ids: readonly string[]): Promise<boolean> {
    if (!this.deletesUnheard(collection)) return false;
    this.streams.trackUnannounced();
    const removed = await this.rows.remove(collection, ids);
    await this.authEffects.afterRemove(collection, removed);
    await this.files.dropAll(collection, removed);
    return true;
  }

  /** Completes, validates and hashes the values, and stores files, before the row is written. */
  private completeAndCheck(record: RecordModel, options: WriteOptions, generatedId?: string): MaybePromise<void> {
    const { caller, validate = true, onlyChanged, assumed } = options;
    const isIdNew = record.id === '' || record.id === generatedId;
    this.autoValues.complete(record);
    return series(
      () => (validate ? this.validator.check(record, { isIdNew, onlyChanged, caller, assumed }) : undefined),
      () => this.passwords.hash(record, { caller }),
      () => this.files.store(record),
    );
  }

  private beforeUpdateCommit(record: RecordModel, before: RecordModel, { caller }: WriteOptions): MaybePromise<void> {
    if (!this.hooks.has(BeforeRecordUpdateCommit, record.collection)) return;
    // A snapshot, because a hook may change its copy while cleanup and events still need the record as it was.
    const event = { record, before: before.snapshot(), caller };
    return this.hooks.run(BeforeRecordUpdateCommit, event, record.collection);
  }

  private tell(
    event: RecordChanged,
    after: Hook<RecordCreateEvent> | Hook<RecordUpdatedEvent>,
    record: RecordModel,
    { caller }: WriteOptions,
  ): void {
    this.events.publish(event);
    const hook = after as Hook<RecordCreateEvent>;
    if (!this.hooks.has(hook, record.collection)) return;
    // A snapshot, because hooks may change theirs and the event bus shares this one.
    const before = event.before?.snapshot();
    const told = before ? { record, caller, before } : { record, caller };
    this.database.afterCommit(() => this.hooks.runAfter(hook, told, record.collection));
  }

  /** Runs a write, and the hooks of its failure when it or the transaction around it fails. */
  private watch(
    failed: Hook<RecordFailedEvent>,
    record: RecordModel,
    options: WriteOptions,
    write: () => MaybePromise<void>,
  ): MaybePromise<void> {
    return this.hooks.has(failed, record.collection) ? this.watched(failed, record, options, write) : write();
  }

  private watchRemoval(record: RecordModel, caller: Caller | null, outcome: RemovalOutcome): void {
    this.database.afterRollback(() => {
      const { error } = outcome;
      return this.hooks.runAfter(AfterRecordDeleteFailed, { record, caller, error }, record.collection);
    });
  }

  private async watched(
    failed: Hook<RecordFailedEvent>,
    record: RecordModel,
    { caller }: WriteOptions,
    write: () => MaybePromise<void>,
  ): Promise<void> {
    let cause: unknown;
    this.database.afterRollback(() => this.hooks.runAfter(failed, { record, caller, error: cause }, record.collection));
    try {
      await write();
    } catch (error) {
      cause = error;
      throw error;
    }
  }
}

/** Writes a row and turns what the database refuses into an error for the client. */
function refusing(record: RecordModel, write: () => MaybePromise<void>): MaybePromise<void> {
  try {
    const writing = write();
    return writing?.catch((error: unknown) => Promise.reject(toWriteError(error, record)));
  } catch (error) {
    throw toWriteError(error, record);
  }
}
