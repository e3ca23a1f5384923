import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import type { Collection } from '../kernel/collections/collection.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';

/** Changes of the schema come one by one and take longer than a read: more than one in a row is rare. */
const MAX_TRIES = 5;

/**
 * Reads with one version of the catalog from start to end. A read into which the commit of a schema change falls may
 * have taken new columns for old fields, as when two fields swap their names: it is made again, with what holds now.
 */
@Injectable()
export class SteadyReads {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  /** Calls `read` with the collection as it is now. Throws 404 when it is gone. In a transaction nothing can change. */
  async of<T>(collection: Collection, read: (current: Collection) => Promise<T>): Promise<T> {
    if (this.database.inTransaction) return read(collection);
    for (let tries = 1; ; tries++) {
      const { catalog } = this.store;
      const current = catalog.findById(collection.id);
      if (!current) throw new NotFoundError('There is no such collection.');
      const hasChanged = () => this.store.catalog !== catalog && tries < MAX_TRIES;
      try {
        const result = await read(current);
        if (!hasChanged()) return result;
      } catch (error) {
        if (!hasChanged()) throw error;
      }
    }
  }
}
