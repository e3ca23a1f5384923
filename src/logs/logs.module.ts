import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApplicationLog } from './application-log.js';
import { LogQuery } from './log-query.js';
import { LogRetention } from './log-retention.js';
import { LogRows } from './log-rows.js';
import { LogWriter } from './log-writer.js';
import { LogsController } from './logs.controller.js';
import { LogsService } from './logs.service.js';
import { RequestLog } from './request-log.js';

/** What happened: requests and what the application says, in a database of their own (chapter 06 D). */
@Module({
  imports: [DiscoveryModule],
  controllers: [LogsController],
  providers: [LogRows, LogWriter, LogQuery, LogsService, LogRetention, RequestLog, ApplicationLog],
  exports: [LogsService, LogWriter, ApplicationLog],
})
export class LogsModule {}
