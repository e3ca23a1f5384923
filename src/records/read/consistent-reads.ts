import { Injectable } from '@nestjs/common';
import { collectionNotFound, requireCollection } from '../../collections/collection-errors.js';
import { CatalogReader } from '../../collections/catalog-reader.js';
import type { CatalogSnapshot } from '../../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AuthRecords } from '../auth-records.js';
import { recordNotFound } from '../record-errors.js';
import { RecordRows } from '../record-rows.js';

/** Somebody who asks, or nobody in particular. */
type Asker = Caller | null;

/**
 * What one answer reads from the database: with one version of the catalog from start to end (CatalogReader), which
 * goes for the collection that was asked for and for the account that asks as well. Both are looked up anew whenever
 * the catalog was replaced, so that the answer is wholly of before a change or wholly of after it.
 *
 * A read may be made again and must have no effect but its result. What has one is done with that: hooks are called
 * and answers are written after it, with records that carry the definitions they were read with.
 */
@Injectable()
export class ConsistentReads {
  constructor(
    private readonly catalogs: CatalogReader,
    private readonly accounts: AuthRecords,
    private readonly rows: RecordRows,
  ) {}

  /**
   * Calls `read` with the collection of this name or id and the caller as both are now. The name is the one the client
   * used: after a rename it may be another collection's. Throws 404 when there is none.
   */
  of<T, Who extends Asker>(
    nameOrId: string,
    caller: Who,
    read: (collection: Collection, caller: Who) => MaybePromise<T>,
  ): MaybePromise<T> {
    return this.catalogs.during((catalog) => {
      const collection = requireCollection(catalog, nameOrId);
      if (isCurrent(caller, catalog)) return read(collection, caller);
      return this.present(caller).then((current) => read(collection, current));
    });
  }

  /**
   * Calls `read` with a record at hand, which was just written or has signed in, and the caller. When its collection
   * has changed since it was read, the record is read again with full rights; throws 404 when it is gone.
   */
  ofRecord<T, Who extends Asker>(
    record: RecordModel,
    caller: Who,
    read: (record: RecordModel, caller: Who) => MaybePromise<T>,
  ): MaybePromise<T> {
    return this.catalogs.during((catalog) => {
      const collection = catalog.findById(record.collection.id);
      if (!collection) throw collectionNotFound(record.collection.name);
      if (collection === record.collection && isCurrent(caller, catalog)) return read(record, caller);
      return this.again(record, collection, caller, read);
    });
  }

  private async again<T, Who extends Asker>(
    record: RecordModel,
    collection: Collection,
    caller: Who,
    read: (record: RecordModel, caller: Who) => MaybePromise<T>,
  ): Promise<T> {
    const isSame = collection === record.collection;
    const found = isSame ? record : await this.rows.find(collection, record.id);
    if (!found) throw recordNotFound();
    return read(found, await this.present(caller));
  }

  /**
   * An account that is gone, or whose tokens were revoked meanwhile, counts as a guest, as with any bad token
   * (AUTH-202).
   */
  private async present<Who extends Asker>(caller: Who): Promise<Who> {
    if (!caller?.auth) return caller;
    return new Caller(await this.accounts.findCurrent(caller.auth), caller.request, caller.ip) as Who;
  }
}

/** Was the account of this caller read with this very version of its collection? */
function isCurrent(caller: Asker, catalog: CatalogSnapshot): boolean {
  const auth = caller?.auth;
  return !auth || catalog.findById(auth.collection.id) === auth.collection;
}
