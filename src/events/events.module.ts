import { Global, Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { EVENT_BUS } from './event-bus.js';
import { EventExplorer } from './event-explorer.js';
import { LocalEventBus } from './local-event-bus.js';

/** What has happened, told after commit to whoever wants to know. */
@Global()
@Module({
  providers: [...replaceable(EVENT_BUS, LocalEventBus), EventExplorer],
  exports: [EVENT_BUS],
})
export class EventsModule {}
