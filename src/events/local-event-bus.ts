import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { EventBus, EventType } from './event-bus.js';

/** Delivers within this process. */
@Injectable()
export class LocalEventBus implements EventBus {
  private readonly logger = new Logger('Events');
  private readonly handlers = new Map<EventType, ((event: never) => void | Promise<void>)[]>();

  constructor(private readonly database: Database) {}

  publish(event: object): void {
    const handlers = this.handlers.get(event.constructor as EventType);
    if (!handlers) return;
    this.database.afterCommit(() => this.deliver(handlers, event));
  }

  subscribe<Event extends object>(type: EventType<Event>, handler: (event: Event) => void | Promise<void>): void {
    this.handlers.set(type, [...(this.handlers.get(type) ?? []), handler]);
  }

  private async deliver(handlers: readonly ((event: never) => void | Promise<void>)[], event: object): Promise<void> {
    for (const handler of handlers) {
      try {
        await handler(event as never);
      } catch (error) {
        this.logger.error(`A handler of ${event.constructor.name} failed: ${String(error)}`, (error as Error)?.stack);
      }
    }
  }
}
