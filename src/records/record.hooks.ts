import { createHook } from '../hooks/create-hook.js';
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

/** It has happened and is committed. */
export type RecordCreatedEvent = RecordCreateEvent;
export type RecordUpdatedEvent = RecordCreateEvent;
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

export const BeforeRecordCreate = createHook<RecordCreateEvent>('BeforeRecordCreate');
export const AfterRecordCreate = createHook<RecordCreatedEvent>('AfterRecordCreate');
export const AfterRecordCreateFailed = createHook<RecordFailedEvent>('AfterRecordCreateFailed');
export const BeforeRecordUpdate = createHook<RecordUpdateEvent>('BeforeRecordUpdate');
export const AfterRecordUpdate = createHook<RecordUpdatedEvent>('AfterRecordUpdate');
export const AfterRecordUpdateFailed = createHook<RecordFailedEvent>('AfterRecordUpdateFailed');
export const BeforeRecordDelete = createHook<RecordDeleteEvent>('BeforeRecordDelete');
export const AfterRecordDelete = createHook<RecordDeletedEvent>('AfterRecordDelete');
export const AfterRecordDeleteFailed = createHook<RecordFailedEvent>('AfterRecordDeleteFailed');
export const EnrichRecord = createHook<EnrichRecordEvent>('EnrichRecord');
