import { Module } from '@nestjs/common';
import { RecordsModule } from '../records/records.module.js';
import { SseModule } from '../sse/sse.module.js';
import { AccountRefresher } from './account-refresher.js';
import { AuthChangesListener } from './auth-changes.listener.js';
import { ConnectionsService } from './connections.service.js';
import { CustomMessagesListener } from './custom-messages.listener.js';
import { OtherInstances } from './other-instances.js';
import { PendingDeleteEvents } from './pending-delete-events.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DeliveryWriter } from './delivery-writer.js';
import { RealtimeClients } from './realtime-clients.js';
import { RealtimeController } from './realtime.controller.js';
import { RealtimeService } from './realtime.service.js';
import { RecordAudience } from './record-audience.js';
import { RecordBroadcaster } from './record-broadcaster.js';
import { RecordChecks } from './record-checks.js';
import { RecordContent } from './record-content.js';
import { SubscriptionIndex } from './subscription-index.js';
import { SubscriptionLimits } from './subscription-limits.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Changes of records, and messages of the application's own, over open streams (chapter 04). */
@Module({
  imports: [SseModule, RecordsModule],
  controllers: [RealtimeController],
  providers: [
    AccountRefresher,
    AuthChangesListener,
    ConnectionsService,
    CustomMessagesListener,
    OtherInstances,
    PendingDeleteEvents,
    DeliveryQueue,
    DeliveryWriter,
    RealtimeClients,
    RealtimeService,
    RecordAudience,
    RecordBroadcaster,
    RecordChecks,
    RecordContent,
    SubscriptionIndex,
    SubscriptionLimits,
    SubscriptionsService,
  ],
  exports: [RealtimeService],
})
export class RealtimeModule {}
