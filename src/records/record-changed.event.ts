import type { RecordModel } from '../kernel/records/record-model.js';

export type RecordAction = 'create' | 'update' | 'delete';

/**
 * A record was created, updated or deleted, and that is committed. One event per record, in the order of the writes.
 * `record` has the values of that write (a delete: the last ones) and is nobody else's: it does not change any more.
 */
export class RecordChanged {
  constructor(
    readonly action: RecordAction,
    readonly record: RecordModel,
    /** The record as it was before an update. */
    readonly before?: RecordModel,
  ) {}
}
