import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { andThen, type MaybePromise, andCatch } from '../kernel/maybe-promise.js';
import { CollectionStore } from './collection-store.js';

/** Changes of collections come one by one and take longer than most reads: more than one in a row is rare. */
const FREE_TRIES = 4;

type CatalogRead<T> = (catalog: CatalogSnapshot) => MaybePromise<T>;

/**
 * Reads that see one version of the catalog from start to end. Definitions and tables change together, so a read into
 * which a change falls may have taken new columns for old fields, as when two fields swap their names, or may have
 * failed over a table that is gone. Whatever came of it is dropped, and it is made again with what holds now.
 *
 * That costs the others nothing: a read compares one reference when it is done. It must therefore have no effect but
 * its result, and calls no hooks: those are called once, with what was read.
 */
@Injectable()
export class CatalogReader {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  /**
   * Calls `read` with the catalog in force, as often as that was replaced meanwhile. Inside a transaction nobody else
   * can replace it. Someone who keeps changing collections holds up a read only so long: it then takes the turn of a
   * writer, and is made while nothing can change.
   */
  during<T>(read: CatalogRead<T>): MaybePromise<T> {
    return this.database.inTransaction ? read(this.store.catalog) : this.settle(read, FREE_TRIES);
  }

  private settle<T>(read: CatalogRead<T>, tries: number): MaybePromise<T> {
    const { store } = this;
    if (tries === 0) return this.database.transaction(() => this.database.outside(async () => read(store.catalog)));
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

  /** Was this the catalog in force all the time, now that there is no doubt about it any more? */
  private async turnsOut(catalog: CatalogSnapshot): Promise<boolean> {
    await this.store.whenSettled();
    return this.store.isCurrent(catalog);
  }
}

/** What came of it: gives the result, or throws the failure. */
function outcomeOf<T>(work: () => MaybePromise<T>): MaybePromise<() => T> {
  return andCatch(
    () => andThen(work(), (result) => () => result),
    (error) => () => {
      throw error;
    },
  );
}
