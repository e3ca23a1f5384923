import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { EphemeralTable } from '../database/postgres/ephemeral-table.js';

/** Deletes expired rows every ten minutes, to save space. */
@Injectable()
export class EphemeralCleanupCron {
  constructor(@Inject(EphemeralTable) private readonly table: EphemeralTable) {}

  @Cron('*/10 * * * *', { name: '__pbEphemeralCleanup__', timeZone: 'UTC' })
  async run(): Promise<void> {
    await this.table.prune();
  }
}
