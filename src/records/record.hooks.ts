import { createHook } from '../hooks/create-hook.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';

/** A record is about to be stored. It may be changed with `record.set`; a throw refuses the write. */
export interface RecordCreateEvent {
  readonly record: RecordModel;
  /** Who asked for it; null for services, cascades and jobs, which act with full rights. */
  readonly caller: Caller | null;
}

/** A record is about to be changed. `record.original(name)` has the stored values. */
export type RecordUpdateEvent = RecordCreateEvent;

/** A record is about to go, with everything that cascades from it. A throw refuses the delete. */
export type RecordDeleteEvent = RecordCreateEvent;

/** A record is being validated. Errors that are put in by field name refuse it together with those of the product. */
export interface ValidateRecordEvent extends RecordCreateEvent {
  readonly errors: Record<string, FieldError>;
}

/** It has happened and is committed. */
export type RecordCreatedEvent = RecordCreateEvent;
/** It was changed, and that is committed. */
export interface RecordUpdatedEvent extends RecordCreateEvent {
  /** The record as it was before. What is new in `record` has been stored, so that its own `original` says it too. */
  readonly before: RecordModel;
}
/** It is gone, and that is committed. */
export type RecordDeletedEvent = RecordCreateEvent;

/** It did not happen, or was rolled back. */
export interface RecordFailedEvent extends RecordCreateEvent {
  /** What stopped it; undefined when a surrounding transaction rolled back for a reason of its own. */
  readonly error: unknown;
}

/** A record is about to be shown to a caller, in a response or an event. */
export interface EnrichRecordEvent {
  readonly record: RecordModel;
  readonly caller: Caller;
  /** The properties that will be shown. Delete some, change some, add some. */
  readonly output: Record<string, unknown>;
}

/**
 * Inside the transaction, before a record is validated and stored. It has its id already. Changes of the record count
 * as if they had been sent; a throw refuses it.
 */
export const BeforeRecordCreate = createHook<RecordCreateEvent>('BeforeRecordCreate');
/** After the commit of a record that was created. A throw is logged and changes nothing. */
export const AfterRecordCreate = createHook<RecordCreatedEvent>('AfterRecordCreate');
/** After a record was not created, or its transaction was rolled back. A throw is logged. */
export const AfterRecordCreateFailed = createHook<RecordFailedEvent>('AfterRecordCreateFailed');
/**
 * Inside the transaction, before a changed record is validated and stored. Changes of the record count as if they had
 * been sent; a throw refuses it.
 */
export const BeforeRecordUpdate = createHook<RecordUpdateEvent>('BeforeRecordUpdate');
/** After the commit of a record that was changed. A throw is logged and changes nothing. */
export const AfterRecordUpdate = createHook<RecordUpdatedEvent>('AfterRecordUpdate');
/** After a record was not changed, or its transaction was rolled back. A throw is logged. */
export const AfterRecordUpdateFailed = createHook<RecordFailedEvent>('AfterRecordUpdateFailed');
/**
 * Inside the transaction, before a record goes, cascades included. A throw refuses the delete and everything that
 * came with it.
 */
export const BeforeRecordDelete = createHook<RecordDeleteEvent>('BeforeRecordDelete');
/** After the commit of a record that was deleted. A throw is logged and changes nothing. */
export const AfterRecordDelete = createHook<RecordDeletedEvent>('AfterRecordDelete');
/** After a record was not deleted, or its transaction was rolled back. A throw is logged. */
export const AfterRecordDeleteFailed = createHook<RecordFailedEvent>('AfterRecordDeleteFailed');
/**
 * Inside the transaction, while a record that is created or changed is validated: after `BeforeRecordCreate` and
 * `BeforeRecordUpdate`, with the values that will be stored and the errors found so far.
 */
export const ValidateRecord = createHook<ValidateRecordEvent>('ValidateRecord');
/** Inside the transaction, after the row of a new record was written. A throw undoes the whole transaction. */
export const BeforeRecordCreateCommit = createHook<RecordCreateEvent>('BeforeRecordCreateCommit');
/** Inside the transaction, after the row of a changed record was written. A throw undoes the whole transaction. */
export const BeforeRecordUpdateCommit = createHook<RecordUpdatedEvent>('BeforeRecordUpdateCommit');
/** Inside the transaction, after the row of a record was deleted. A throw undoes the whole transaction. */
export const BeforeRecordDeleteCommit = createHook<RecordDeleteEvent>('BeforeRecordDeleteCommit');
/**
 * Before a record is written to a response or an event, once per caller. It runs for every record shown: keep it
 * cheap.
 */
export const EnrichRecord = createHook<EnrichRecordEvent>('EnrichRecord');
