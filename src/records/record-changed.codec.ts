import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import type { EventCodec } from '../events/outbox.js';
import { Outbox } from '../events/outbox.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { type RecordAction, RecordChanged } from './record-changed.event.js';

/** A change of a record as other processes read it. */
interface EncodedChange {
  readonly action: RecordAction;
  readonly collection: string;
  readonly row: RecordRow;
  /** Of an account before the change: whether its tokens were ended depends on it. */
  readonly tokenKey?: unknown;
}

/**
 * How changes of records travel to other processes: all their values, because a deleted record can be asked nowhere.
 */
@Injectable()
export class RecordChangedCodec implements EventCodec<RecordChanged> {
  readonly name = 'record';

  constructor(
    outbox: Outbox,
    private readonly store: CollectionStore,
  ) {
    outbox.register(RecordChanged, this);
  }

  encode({ action, record, before }: RecordChanged): EncodedChange {
    const tokenKey = record.collection.isAuth ? before?.get('tokenKey') : undefined;
    return { action, collection: record.collection.id, row: record.toRow(), tokenKey };
  }

  decode(data: unknown): RecordChanged | undefined {
    const { action, collection: id, row, tokenKey } = data as EncodedChange;
    const collection = this.store.catalog.findById(id);
    if (!collection) return undefined;
    const record = RecordModel.fromRow(collection, row);
    const before =
      tokenKey === undefined ? undefined : RecordModel.fromRow(collection, { ...row, tokenKey } as RecordRow);
    return new RecordChanged(action, record, before);
  }
}
