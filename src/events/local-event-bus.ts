import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { EventBus, EventType } from './event-bus.js';

type Handler = (event: never) => void | Promise<void>;

/** Delivers within this process. */
@Injectable()
export class LocalEventBus implements EventBus {
  private readonly logger = new Logger('Events');
  private readonly handlers = new Map<EventType, Handler[]>();

  constructor(private readonly database: Database) {}

  publish(event: object): void {
    const handlers = this.handlers.get(event.constructor as EventType);
    if (!handlers) return;
    let told: void | Promise<void>;
    // The commit may be one that several share.
    const context = new AsyncResource('RoostEvent');
    const tell = () => this.database.outside(() => this.deliver(handlers, event));
    // At the very moment of the commit: only so do events of two transactions keep the order of their commits.
    this.database.onCommit(() => (told = context.runInAsyncScope(tell)));
    this.database.afterCommit(() => told);
  }

  subscribe<Event extends object>(type: EventType<Event>, handler: (event: Event) => void | Promise<void>): void {
    this.handlers.set(type, [...(this.handlers.get(type) ?? []), handler]);
  }

  /** Waits only for handlers that take their time, so that the others have heard of it when the commit is done. */
  private deliver(handlers: readonly Handler[], event: object): void | Promise<void> {
    for (const [index, handler] of handlers.entries()) {
      const running = this.tell(handler, event);
      if (running) return running.then(() => this.deliver(handlers.slice(index + 1), event));
    }
  }

  private tell(handler: Handler, event: object): void | Promise<void> {
    const fail = (error: unknown) =>
      this.logger.error(`A handler of ${event.constructor.name} failed: ${String(error)}`, (error as Error)?.stack);
    try {
      const running = handler(event as never);
      return running instanceof Promise ? running.catch(fail) : undefined;
    } catch (error) {
      fail(error);
    }
  }
}
