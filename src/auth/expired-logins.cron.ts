import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { MFAS, OTPS } from '../collections/account-collections.js';
import { CollectionStore } from '../collections/collection-store.js';
import { CLOCK } from '../config/roost-config.js';
import type { AuthOptions } from '../kernel/collections/auth-options.js';
import type { Clock } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import { RecordsService } from '../records/records.service.js';

/** Rows deleted in one transaction, so that nobody waits long for their turn. */
const CHUNK = 200;

/** Deletes what is left of sign-ins that nobody completed (AUTH-1404). Expiry itself never depends on it. */
@Injectable()
export class ExpiredLoginsCron {
  constructor(
    private readonly store: CollectionStore,
    private readonly records: RecordsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Cron('0 * * * *', { name: '__pbMFACleanup__', timeZone: 'UTC' })
  deleteMfas(): Promise<void> {
    return this.deleteExpired(MFAS, ({ mfa }) => mfa.duration);
  }

  @Cron('0 * * * *', { name: '__pbOTPCleanup__', timeZone: 'UTC' })
  deleteOtps(): Promise<void> {
    return this.deleteExpired(OTPS, ({ otp }) => otp.duration);
  }

  private async deleteExpired(name: string, durationOf: (auth: AuthOptions) => number): Promise<void> {
    for (const collection of this.store.catalog.all()) {
      if (!collection.isAuth) continue;
      const params = {
        collection: collection.id,
        before: formatDateTime(this.clock.now() - durationOf(collection.auth!) * 1000),
      };
      let deleted: number;
      do deleted = await this.deleteSome(name, params);
      while (deleted === CHUNK);
    }
  }

  private deleteSome(name: string, params: { collection: string; before: string }): Promise<number> {
    return this.records.transaction(async () => {
      const filter = 'collectionRef = {:collection} && created < {:before}';
      const { items } = await this.records.find(name, { filter, params, perPage: CHUNK, skipTotal: true });
      for (const { id } of items) await this.records.delete(name, id);
      return items.length;
    });
  }
}
