import { Injectable } from '@nestjs/common';
import { requireCollection, viewNotWritable } from '../../collections/collection-errors.js';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import type { TransactionOptions } from '../../database/transaction-options.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';
import { requireOpenRule, type RuleKind } from '../rule-kind.js';
import { ConsistentReads } from '../read/consistent-reads.js';

/** A write, before its collection is looked up. */
export interface WriteRequest {
  /** The name or id of the collection. */
  readonly collection: string;
  readonly kind: RuleKind;
  /** null acts with full rights. */
  readonly caller: Caller | null;
}

/** Called with the collection and the caller as they are when it runs. */
type WriteWork<T> = (collection: Collection, caller: Caller | null) => MaybePromise<T>;

/**
 * Looks up the collections that are written to. Only inside a transaction can nobody change a collection, so a write
 * looks it up there again: what was found when the request arrived may be outdated.
 */
@Injectable()
export class WriteTargets {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly reads: ConsistentReads,
  ) {}

  /**
   * The collection as it is at this moment, so that what is refused anyway is refused at once. Throws 404 when there is
   * none, 400 for a view and 403 when only superusers may do this.
   */
  find({ collection: nameOrId, kind, caller }: WriteRequest): Collection {
    const collection = requireCollection(this.store.catalog, nameOrId);
    requireAllowed(collection, kind, caller);
    return collection;
  }

  /**
   * Calls `read` with the collection and the caller as they are now: a consistent read, or a part of the transaction
   * around it. Throws as `find` does.
   */
  read<T>({ collection, kind, caller }: WriteRequest, read: WriteWork<T>): MaybePromise<T> {
    return this.reads.of(collection, caller, (target, current) => {
      requireAllowed(target, kind, current);
      return read(target, current);
    });
  }

  /** Runs work in a transaction, with the collection and the caller as they are there. Throws as `find` does. */
  inTransaction<T>(wanted: WriteRequest, work: WriteWork<T>, options?: TransactionOptions): Promise<T> {
    return this.database.transaction(async () => this.read(wanted, work), options);
  }
}

function requireAllowed(collection: Collection, kind: RuleKind, caller: Caller | null): void {
  if (collection.isView) throw viewNotWritable();
  if (caller) requireOpenRule(collection, kind, caller);
}
