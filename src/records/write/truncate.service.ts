import { Injectable } from '@nestjs/common';
import { requireCollection } from '../../collections/collection-errors.js';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { TimeSlices } from '../../database/time-slices.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { type Caller, SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { RecordRow } from '../../kernel/records/record-model.js';
import { insertionOrder } from '../../kernel/resolve/columns.js';
import { RecordCascade } from './record-cascade.js';
import { RecordRows, rowsOf } from '../record-rows.js';
import { FIRST_RUN, nextRun, runColumns, runsOf } from './record-runs.js';

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
      for (let most = FIRST_RUN; ;) {
        const rows = await this.first(collection, most);
        if (rows.length === 0) return;
        most = nextRun(collection, rows);
        const runs = [...runsOf(collection, rows)];
        for (const [position, run] of runs.entries()) {
          await slices.pause();
          // Read again behind the first one: deleting that may have changed or deleted them.
          const ids = typeof run === 'string' ? [run] : run.map(({ id }) => id);
          const isFresh = position === 0 && typeof run !== 'string';
          const records = isFresh ? run : await this.rows.findMany(collection, ids);
          await this.cascade.remove(collection, records, caller);
        }
      }
    });
  }

  /** Those of the records that were stored first, in that order, at most so many. */
  private first(collection: Collection, most: number): Promise<RecordRow[]> {
    const order = [{ value: insertionOrder(collection, collection.name), descending: false }];
    return this.database.all({ ...rowsOf(collection), columns: runColumns(collection), order, limit: most });
  }

  private find(nameOrId: string): Collection {
    const collection = requireCollection(this.store.catalog, nameOrId);
    if (collection.isView) throw new BadRequestError('A view collection has no records of its own to delete.');
    if (collection.id === SUPERUSERS_ID) throw new BadRequestError('The superusers cannot be deleted all at once.');
    return collection;
  }
}
