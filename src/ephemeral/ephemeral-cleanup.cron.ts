import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { ShortMemoryTable } from '../database/short-memory-table.js';

/** Deletes what is over where the database remembers it, every ten minutes. Nothing depends on it but room. */
@Injectable()
export class EphemeralCleanupCron {
  constructor(@Inject(ShortMemoryTable) private readonly table: ShortMemoryTable) {}

  @Cron('*/10 * * * *', { name: '__pbEphemeralCleanup__', timeZone: 'UTC' })
  async run(): Promise<void> {
    await this.table.prune();
  }
}
