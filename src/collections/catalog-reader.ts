import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { andThen, type MaybePromise, andCatch } from '../kernel/maybe-promise.js';
import { CollectionStore } from './collection-store.js';

/**
 * Attempts beside the writers. Changes of collections are rare and take longer than most reads, so more are hardly
 * needed.
 */
const FREE_TRIES = 4;

type CatalogRead<T> = (catalog: CatalogSnapshot) => MaybePromise<T>;

/**
 * Runs reads on one version of the catalog. Definitions and tables change together, so a read that overlaps with a
 * change may have read new columns as old fields, for example when two fields swap their names, or failed over a table
 * that is gone. Its result is dropped, and it runs again.
 *
 * Other reads pay one comparison at their end. A read must have no effect besides its result, and calls no hooks: those
 * are called once, with what was read.
 */
@Injectable()
export class CatalogReader {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  /**
   * Calls `read` with the current catalog, again whenever that was replaced meanwhile. Inside a transaction nobody else
   * can replace it. After a few attempts the read waits for the writer and runs while nothing can change.
   */
  during<T>(read: CatalogRead<T>): MaybePromise<T> {
    return this.database.inTransaction ? read(this.store.catalog) : this.settle(read, FREE_TRIES);
  }

  private settle<T>(read: CatalogRead<T>, tries: number): MaybePromise<T> {
    const { store } = this;
    if (tries === 0) return this.database.transaction(() => this.database.runOutside(async () => read(store.catalog)));
    const { catalog } = store;
    return andThen(
      outcomeOf(() => read(catalog)),
      (outcome) =>
        // Other processes may have changed the tables meanwhile.
        andThen(this.database.catchUp(), () => {
          if (store.isCurrent(catalog)) return outcome();
          return this.turnsOut(catalog).then((didHold) => (didHold ? outcome() : this.settle(read, tries - 1)));
        }),
    );
  }

  /** Whether this is still the current catalog once pending commits are over. */
  private async turnsOut(catalog: CatalogSnapshot): Promise<boolean> {
    await this.store.whenSettled();
    return this.store.isCurrent(catalog);
  }
}

/** Captures the result or the error of a read. */
function outcomeOf<T>(work: () => MaybePromise<T>): MaybePromise<() => T> {
  return andCatch(
    () => andThen(work(), (result) => () => result),
    (error) => () => {
      throw error;
    },
  );
}
