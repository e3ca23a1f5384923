import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import {
  ACCOUNT_COLLECTIONS,
  AUTH_ORIGINS,
  EXTERNAL_AUTHS,
  MFAS,
  OTPS,
} from '../../collections/account-collections.js';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { randomText } from '../../kernel/ids.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import type { SqlNode } from '../../kernel/sql/sql-node.js';
import { and, column, compare, not, oneOf, param, table } from '../../kernel/sql/sql.js';

/**
 * Keeps tokens, pending sign-ins and linked accounts valid or not when an account changes (AUTH-307), on every path.
 */
@Injectable()
export class AuthEffects {
  /** The id of the MFA challenge that is being answered. */
  private readonly answered = new AsyncLocalStorage<string>();
  /** Steps of sign-ins that answer one. */
  private answers = 0;

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  /**
   * Runs a step of a sign-in that answers an MFA challenge. A password that is changed by it, as when an old hash is
   * taken over, ends all other pending sign-ins of the account but not this one (EXT-36).
   */
  async answering<T>(mfaId: string, work: () => MaybePromise<T>): Promise<T> {
    if (mfaId === '') return work();
    this.answers += 1;
    try {
      return await this.answered.run(mfaId, work);
    } finally {
      this.answers -= 1;
      // While one is in use, Node.js 20 calls back for each promise of the process.
      if (this.answers === 0) this.answered.disable();
    }
  }

  /**
   * A changed password or email, or a verified account that had links, ends all tokens unless the save does it itself.
   */
  beforeUpdate(record: RecordModel): MaybePromise<void> {
    if (record.collection.isAuth) return this.renewTokenKey(record);
  }

  afterUpdate(record: RecordModel, before: RecordModel): MaybePromise<void> {
    if (record.collection.isAuth) return this.removeOutdated(record, before);
  }

  /** What belongs to deleted accounts of one collection goes with them (AUTH-610). */
  async afterRemove(collection: Collection, ids: ReadonlySet<string>): Promise<void> {
    if (!collection.isAuth || ids.size === 0) return;
    for (const name of ACCOUNT_COLLECTIONS) await this.removeRows(name, collection, ids);
  }

  private async renewTokenKey(record: RecordModel): Promise<void> {
    // Not `changedFields`, which looks at every value that was set, and lists may be long (OPS-39).
    if (record.isChanged('tokenKey')) return;
    if (record.isChanged('password') || record.isChanged('email') || (await this.becomesVerifiedWithLinks(record))) {
      record.set('tokenKey', randomText(50));
    }
  }

  private async removeOutdated(record: RecordModel, before: RecordModel): Promise<void> {
    const differs = (name: string) => columnOf(record, name) !== columnOf(before, name);
    const { collection } = record;
    if (differs('tokenKey')) await this.removeRows(OTPS, collection, [record.id]);
    if (differs('password')) {
      await this.removeRows(MFAS, collection, [record.id], this.answered.getStore());
      await this.removeRows(AUTH_ORIGINS, collection, [record.id]);
    }
    if (before.get('verified') !== true && record.get('verified') === true)
      await this.removeRows(EXTERNAL_AUTHS, collection, [record.id]);
  }

  private async becomesVerifiedWithLinks(record: RecordModel): Promise<boolean> {
    if (record.original('verified') === true || record.get('verified') !== true) return false;
    if (!this.store.catalog.find(EXTERNAL_AUTHS)) return false;
    const link = await this.database.get({
      kind: 'select',
      columns: [],
      from: table(EXTERNAL_AUTHS),
      where: belongsTo(EXTERNAL_AUTHS, record.collection, [record.id]),
      limit: 1,
    });
    return link !== undefined;
  }

  private async removeRows(
    name: string,
    collection: Collection,
    accounts: Iterable<string>,
    spared = '',
  ): Promise<void> {
    if (!this.store.catalog.find(name)) return;
    const where = and(belongsTo(name, collection, accounts), not(compare(column(name, 'id'), '=', param(spared))));
    await this.database.run({ kind: 'delete', from: name, where });
  }
}

/** Rows of a system collection that belong to one of these accounts, by their ids. */
function belongsTo(name: string, collection: Collection, accounts: Iterable<string>): SqlNode {
  return and(
    compare(column(name, 'collectionRef'), '=', param(collection.id)),
    oneOf(
      column(name, 'recordRef'),
      Array.from(accounts, (id) => param(id)),
    ),
  );
}

function columnOf(record: RecordModel, name: string): unknown {
  const field = record.collection.field(name)!;
  return record.collection.typeOf(field).toColumn(record.get(name), field);
}
