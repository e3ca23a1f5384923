import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CronExplorer } from './cron-explorer.js';
import { CronsController } from './crons.controller.js';
import { CronsService } from './crons.service.js';
import { DatabaseUpkeepCron } from './database-upkeep.cron.js';

/** Scheduled jobs, Roost's and a team's (chapter 06 F). */
@Module({
  imports: [ScheduleModule.forRoot({ cronJobs: false, intervals: false, timeouts: false })],
  controllers: [CronsController],
  providers: [CronExplorer, CronsService, DatabaseUpkeepCron],
  exports: [CronsService],
})
export class CronsModule {}
