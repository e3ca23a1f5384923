import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { RecordsModule } from '../records/records.module.js';
import { BatchBodyLimit } from './batch-body-limit.js';
import { BatchEnabledGuard } from './batch-enabled.guard.js';
import { BatchItemsService } from './batch-items.service.js';
import { BatchController } from './batch.controller.js';
import { BatchService } from './batch.service.js';

/** Several writes of records in one transaction (chapter 02 §17). */
@Module({
  imports: [RateLimitsModule, RecordsModule],
  controllers: [BatchController],
  providers: [BatchBodyLimit, BatchEnabledGuard, BatchItemsService, BatchService],
})
export class BatchModule {}
