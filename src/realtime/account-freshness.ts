import { Injectable } from '@nestjs/common';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AuthRecords } from '../records/auth-records.js';
import { CollectionStore } from '../collections/collection-store.js';

/** Accounts as they are now. */
@Injectable()
export class AccountFreshness {
  constructor(
    private readonly store: CollectionStore,
    private readonly authRecords: AuthRecords,
  ) {}

  /** The account with its present values; null when it is gone or its tokens were ended since it was read. */
  async of(auth: RecordModel | null): Promise<RecordModel | null> {
    const collection = auth && this.store.catalog.find(auth.collection.id);
    if (!collection?.isAuth) return null;
    const record = await this.authRecords.findById(collection, auth!.id);
    return record && record.get('tokenKey') === auth!.get('tokenKey') ? record : null;
  }
}
