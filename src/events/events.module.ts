import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { replaceable } from '../config/replaceable.js';
import { EVENT_BUS } from './event-bus.js';
import { EventExplorer } from './event-explorer.js';
import { LocalEventBus } from './local-event-bus.js';

/** What has happened, told after commit to whoever wants to know. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [...replaceable(EVENT_BUS, LocalEventBus), EventExplorer],
  exports: [EVENT_BUS],
})
export class EventsModule {}
