import { Injectable } from '@nestjs/common';
import { collectionNotFound } from '../collections/collection-errors.js';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { SUPERUSERS_ID } from '../kernel/records/caller.js';
import { RecordCascade } from './record-cascade.js';
import { quoteName, RecordRows } from './record-rows.js';

/** Records read at a time, so that a collection of any size fits in memory. */
const CHUNK = 500;

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
  async truncate(nameOrId: string): Promise<void> {
    this.find(nameOrId);
    await this.database.transaction(async () => {
      // While the turn to write was awaited it may have been changed.
      const collection = this.find(nameOrId);
      for (;;) {
        const rows = await this.database.all<{ id: string }>({
          sql: `SELECT "id" FROM ${quoteName(collection.name)} ORDER BY "_rowid_" LIMIT ${CHUNK}`,
          params: [],
        });
        if (rows.length === 0) return;
        for (const { id } of rows) {
          // Read only now: the deletions before it may have changed or deleted this one.
          const record = await this.rows.find(collection, id);
          if (record) await this.cascade.remove(record, { caller: null });
        }
      }
    });
  }

  private find(nameOrId: string): Collection {
    const collection = this.store.catalog.find(nameOrId);
    if (!collection) throw collectionNotFound();
    if (collection.isView) throw new BadRequestError('A view collection has no records of its own to delete.');
    if (collection.id === SUPERUSERS_ID) throw new BadRequestError('The superusers cannot be deleted all at once.');
    return collection;
  }
}
