import { createHook } from '../../hooks/create-hook.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { FilterParameters } from '../../kernel/filter/filter-parameters.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/** What is told of a list that was asked for. */
interface ListEvent {
  readonly collection: Collection;
  readonly caller: Caller;
  /** As the caller sent it, '' for none. */
  readonly filter: string;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** A list is about to be read for a caller; a throw refuses it. */
export interface RecordListEvent extends ListEvent {
  /** As the caller sent it, '' for none. May be replaced by what the caller could have sent. */
  sort: string;
  /**
   * Leaves out what does not satisfy this filter too. It may name what a rule may name, hidden fields and `@request`
   * included; `{:name}` stands for the value of that name and is never spliced into the text.
   */
  narrow(filter: string, params?: FilterParameters): void;
}

/** A list was read. */
export interface RecordListedEvent extends ListEvent {
  readonly sort: string;
  /** The ids of the records that were found, in their order. */
  readonly ids: readonly string[];
  /** -1 where nobody counted. */
  readonly totalItems: number;
}

/** A record was found that the caller may see. A throw keeps it from being shown. */
export interface RecordViewEvent {
  readonly record: RecordModel;
  readonly caller: Caller;
}

/**
 * Before a list is read for a caller: by its endpoint, or by `find`, `findFirst` and `count` with `as`. Not where code
 * acts with full rights, and not for what is expanded or told by realtime.
 */
export const BeforeRecordList = createHook<RecordListEvent>('BeforeRecordList');
/** After a list was read for a caller. A throw is logged and changes nothing; `EnrichRecord` changes what is shown. */
export const AfterRecordList = createHook<RecordListedEvent>('AfterRecordList');
/** Before one record is shown to a caller who asked for it, by its endpoint or by `findOne` with `as`. */
export const BeforeRecordView = createHook<RecordViewEvent>('BeforeRecordView');
