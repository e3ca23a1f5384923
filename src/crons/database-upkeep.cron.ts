import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { AuxiliaryDatabase, Database } from '../database/database.js';

/** Shortens journals and refreshes the statistics of the query planner. */
@Injectable()
export class DatabaseUpkeepCron {
  constructor(
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
  ) {}

  @Cron('0 0 * * *', { name: '__pbDBOptimize__', timeZone: 'UTC' })
  async run(): Promise<void> {
    await this.database.upkeep.optimize();
    await this.auxiliary.upkeep.optimize();
  }
}
