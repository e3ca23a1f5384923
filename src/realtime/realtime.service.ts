import { Inject, Injectable } from '@nestjs/common';
import { EVENT_BUS, type EventBus } from '../events/event-bus.js';
import { toMessage } from './custom-message.js';
import type { RealtimeClient } from './realtime-client.js';
import { RealtimeClients } from './realtime-clients.js';

/** Messages of the application's own over the streams of realtime (RT-90). No rule applies to them. */
@Injectable()
export class RealtimeService {
  constructor(
    private readonly connected: RealtimeClients,
    @Inject(EVENT_BUS) private readonly events: EventBus,
  ) {}

  /**
   * Sends data to every client that listens to the topic: its path or its whole text. Objects are sent as JSON, a
   * string as it is. Inside a transaction it leaves after the commit and never after a rollback. Throws for topics
   * that begin with `@`, `SVC_` or `PB_`, and for a string of several lines.
   */
  publish(topic: string, data: unknown): void {
    this.events.publish(toMessage(topic, data));
  }

  /** Everybody who is connected now. */
  get clients(): readonly RealtimeClient[] {
    return this.connected.all();
  }
}
