import { Injectable } from '@nestjs/common';
import { requireCollection } from '../../collections/collection-errors.js';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { TimeSlices } from '../../database/time-slices.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { type Caller, SUPERUSERS_ID } from '../../kernel/records/caller.js';
import { insertionOrder } from '../../kernel/resolve/columns.js';
import { table } from '../../kernel/sql/sql.js';
import { RecordCascade } from './record-cascade.js';
import { RecordRows } from '../record-rows.js';
import { RUN, runColumns, runsOf } from './record-runs.js';

/** Empties a collection exactly as deleting each of its records would, all or nothing (COL-92). */
@Injectable()
export class TruncateService {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
    private readonly cascade: RecordCascade,
  ) {}

  /** Throws 404 for an unknown collection, 400 for a view, for superusers and when a record is still required. */
  async truncate(nameOrId: string, caller: Caller | null = null): Promise<void> {
    this.find(nameOrId);
    await this.database.transaction(async () => {
      // The collection may have been changed while this waited for the writer.
      const collection = this.find(nameOrId);
      const slices = new TimeSlices();
      for (;;) {
        const found = await this.first(collection);
        if (found.length === 0) return;
        for (const ids of runsOf(collection, found)) {
          await slices.pause();
          await this.cascade.remove(collection, await this.rows.findInOrder(collection, ids), caller);
        }
      }
    });
  }

  /** Those of the records that were stored first, in that order. */
  private first(collection: Collection): Promise<{ id: string }[]> {
    return this.database.all({
      kind: 'select',
      columns: runColumns(collection),
      from: table(collection.name),
      order: [{ value: insertionOrder(collection, collection.name), descending: false }],
      limit: RUN,
    });
  }

  private find(nameOrId: string): Collection {
    const collection = requireCollection(this.store.catalog, nameOrId);
    if (collection.isView) throw new BadRequestError('A view collection has no records of its own to delete.');
    if (collection.id === SUPERUSERS_ID) throw new BadRequestError('The superusers cannot be deleted all at once.');
    return collection;
  }
}
