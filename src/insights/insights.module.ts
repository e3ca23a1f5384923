import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { SseModule } from '../sse/sse.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { InsightsController } from './insights.controller.js';
import { InsightsService } from './insights.service.js';
import { RequestMetrics } from './request-metrics.js';

/** What is slow, what is large, and what should be changed (UI-80). */
@Module({
  imports: [CollectionsModule, SseModule, StorageModule],
  controllers: [InsightsController],
  providers: [InsightsService, RequestMetrics],
})
export class InsightsModule {}
