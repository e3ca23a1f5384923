import { Global, Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { EVENT_BUS } from './event-bus.js';
import { EventExplorer } from './event-explorer.js';
import { LocalEventBus } from './local-event-bus.js';
import { Outbox } from './outbox.js';
import { StreamInterest } from './stream-interest.js';

/** Events that are published after commit. */
@Global()
@Module({
  providers: [...replaceable(EVENT_BUS, LocalEventBus), EventExplorer, Outbox, StreamInterest],
  exports: [EVENT_BUS, Outbox, StreamInterest],
})
export class EventsModule {}
