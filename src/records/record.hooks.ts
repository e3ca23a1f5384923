import { createHook } from '../hooks/create-hook.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { CollectionName, RecordOf } from '../kernel/records/typed-record.js';

/**
 * A record is about to be stored. It may be changed with `record.set`; a throw refuses the write.
 *
 * As all events of records, it may be told which collection it is about: `RecordCreateEvent<Collections, 'posts'>`.
 */
export interface RecordCreateEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> {
  readonly record: RecordOf<Collections, Name>;
  /** Who asked for it; null for services, cascades and jobs, which act with full rights. */
  readonly caller: Caller | null;
}

/** A record is about to be changed. `record.original(name)` has the stored values. */
export type RecordUpdateEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> = RecordCreateEvent<Collections, Name>;

/** A record is about to go, with everything that cascades from it. A throw refuses the delete. */
export type RecordDeleteEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> = RecordCreateEvent<Collections, Name>;

/** A record is being validated. Errors that are put in by field name refuse it together with those of the product. */
export interface ValidateRecordEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> extends RecordCreateEvent<Collections, Name> {
  readonly errors: Record<string, FieldError>;
}

/** A record was created, and that is committed. */
export type RecordCreatedEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> = RecordCreateEvent<Collections, Name>;

/** A record was changed, and that is committed. */
export interface RecordUpdatedEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> extends RecordCreateEvent<Collections, Name> {
  /** The record as it was before. What is new in `record` has been stored, so that its own `original` says it too. */
  readonly before: RecordOf<Collections, Name>;
}

/** A record is gone, and that is committed. */
export type RecordDeletedEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> = RecordCreateEvent<Collections, Name>;

/** A record was not created, changed or deleted, or that was rolled back. */
export interface RecordFailedEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> extends RecordCreateEvent<Collections, Name> {
  /** What stopped it; undefined when a surrounding transaction rolled back for a reason of its own. */
  readonly error: unknown;
}

/** A record is about to be shown to a caller, in a response or an event. */
export interface EnrichRecordEvent<
  Collections = unknown,
  Name extends CollectionName<Collections> = CollectionName<Collections>,
> {
  readonly record: RecordOf<Collections, Name>;
  readonly caller: Caller;
  /** The properties that will be shown. Delete some, change some, add some. */
  readonly output: Record<string, unknown>;
}

/** Lets a handler say which collection its events are about. */
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

/**
 * Inside the transaction, before a record is validated and stored. It has its id already. Changes of the record count
 * as if they had been sent; a throw refuses it.
 */
export const BeforeRecordCreate = createHook<RecordCreateEvent<Any, Any>>('BeforeRecordCreate');
/** After the commit of a record that was created. A throw is logged and changes nothing. */
export const AfterRecordCreate = createHook<RecordCreatedEvent<Any, Any>>('AfterRecordCreate');
/** After a record was not created, or its transaction was rolled back. A throw is logged. */
export const AfterRecordCreateFailed = createHook<RecordFailedEvent<Any, Any>>('AfterRecordCreateFailed');
/**
 * Inside the transaction, before a changed record is validated and stored. Changes of the record count as if they had
 * been sent; a throw refuses it.
 */
export const BeforeRecordUpdate = createHook<RecordUpdateEvent<Any, Any>>('BeforeRecordUpdate');
/** After the commit of a record that was changed. A throw is logged and changes nothing. */
export const AfterRecordUpdate = createHook<RecordUpdatedEvent<Any, Any>>('AfterRecordUpdate');
/** After a record was not changed, or its transaction was rolled back. A throw is logged. */
export const AfterRecordUpdateFailed = createHook<RecordFailedEvent<Any, Any>>('AfterRecordUpdateFailed');
/**
 * Inside the transaction, before a record goes, cascades included. A throw refuses the delete and everything that
 * came with it.
 */
export const BeforeRecordDelete = createHook<RecordDeleteEvent<Any, Any>>('BeforeRecordDelete');
/** After the commit of a record that was deleted. A throw is logged and changes nothing. */
export const AfterRecordDelete = createHook<RecordDeletedEvent<Any, Any>>('AfterRecordDelete');
/** After a record was not deleted, or its transaction was rolled back. A throw is logged. */
export const AfterRecordDeleteFailed = createHook<RecordFailedEvent<Any, Any>>('AfterRecordDeleteFailed');
/**
 * Inside the transaction, while a record that is created or changed is validated: after `BeforeRecordCreate` and
 * `BeforeRecordUpdate`, with the values that will be stored and the errors found so far.
 */
export const ValidateRecord = createHook<ValidateRecordEvent<Any, Any>>('ValidateRecord');
/** Inside the transaction, after the row of a new record was written. A throw undoes the whole transaction. */
export const BeforeRecordCreateCommit = createHook<RecordCreateEvent<Any, Any>>('BeforeRecordCreateCommit');
/** Inside the transaction, after the row of a changed record was written. A throw undoes the whole transaction. */
export const BeforeRecordUpdateCommit = createHook<RecordUpdatedEvent<Any, Any>>('BeforeRecordUpdateCommit');
/** Inside the transaction, after the row of a record was deleted. A throw undoes the whole transaction. */
export const BeforeRecordDeleteCommit = createHook<RecordDeleteEvent<Any, Any>>('BeforeRecordDeleteCommit');
/**
 * Before a record is written to a response or an event, once per caller. It runs for every record shown: keep it
 * cheap.
 */
export const EnrichRecord = createHook<EnrichRecordEvent<Any, Any>>('EnrichRecord');
