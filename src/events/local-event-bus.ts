import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import { thrownText } from '../kernel/errors/message-of.js';
import { forEachSeries, type MaybePromise } from '../kernel/maybe-promise.js';
import type { EventBus, EventType, HandlerOptions } from './event-bus.js';
import { Outbox } from './outbox.js';
import { StreamInterest } from './stream-interest.js';

type Handler = (event: never) => void | Promise<void>;

/** Delivers events in this process, and stores those for others in the outbox. */
@Injectable()
export class LocalEventBus implements EventBus {
  private readonly logger = new Logger('Events');
  private readonly handlers = new Map<EventType, Handler[]>();
  /** Handlers that also get events of other processes. */
  private readonly everywhere = new Map<EventType, Handler[]>();
  /** What has handlers that hear of it whether or not there are streams. */
  private readonly alwaysHeard = new Set<EventType>();
  /** Handlers that get events of this process only. */
  private readonly here = new Map<EventType, Handler[]>();
  /** The events of each delivery that waits for its commit. A deletion may publish a hundred thousand. */
  private readonly deliveries = new WeakMap<() => void, object[]>();

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly streams: StreamInterest,
  ) {
    outbox.onEvent((event) => void this.deliverAll([event], this.everywhere));
  }

  publish(event: object): void {
    if (!this.handlers.has(event.constructor as EventType)) return;
    const last = this.database.commitWork.lastOnCommit;
    const events = last && this.deliveries.get(last);
    if (events) events.push(event);
    else this.deliverOnCommit([event]);
  }

  isHeard(type: EventType): boolean {
    return this.alwaysHeard.has(type) || this.streams.isHere || this.streams.exists;
  }

  subscribe<Event extends object>(
    type: EventType<Event>,
    handler: (event: Event) => void | Promise<void>,
    { everywhere = false }: HandlerOptions = {},
  ): void {
    this.handlers.set(type, [...(this.handlers.get(type) ?? []), handler]);
    const kind = everywhere === false ? this.here : this.everywhere;
    kind.set(type, [...(kind.get(type) ?? []), handler]);
    if (everywhere !== false) this.outbox.register(type);
    if (everywhere === true) this.outbox.alwaysStore(type);
    if (everywhere !== 'streams') this.alwaysHeard.add(type);
  }

  /** Delivers consecutive events of one unit of work together; more may be added until the commit. */
  private deliverOnCommit(events: object[]): void {
    let told: MaybePromise<void>;
    // The commit may be shared by several units of work, so the async context is kept.
    const context = new AsyncResource('RoostEvent');
    const handlers = this.outbox.ordersOwn ? this.here : this.handlers;
    const tell = () => this.database.runOutside(() => this.deliverAll(events, handlers));
    // At the moment of the commit, so that events of two transactions keep the order of their commits.
    const deliver = (): void => void (told = context.runInAsyncScope(tell));
    if (this.database.inTransaction) this.deliveries.set(deliver, events);
    if (this.outbox.isOpen) this.handOver(events);
    this.database.onCommit(deliver);
    this.database.afterCommit(() => told);
  }

  private handOver(events: readonly object[]): void {
    if (this.database.inTransaction) this.outbox.storeAtCommit(events);
    else {
      this.outbox
        .store(events)
        .catch((error: unknown) => this.logger.error(`Other processes do not hear of an event: ${thrownText(error)}`));
    }
  }

  /** Starts all events and waits for handlers that are asynchronous. */
  private deliverAll(events: readonly object[], to = this.handlers): MaybePromise<void> {
    const running: Promise<void>[] = [];
    for (const event of events) {
      const delivery = this.deliver(to.get(event.constructor as EventType) ?? [], event);
      if (delivery) running.push(delivery);
    }
    if (running.length > 0) return forEachSeries(running, (delivery) => delivery);
  }

  /**
   * Runs handlers one after another, without a promise when all are synchronous, so that they have run when the commit
   * is done.
   */
  private deliver(handlers: readonly Handler[], event: object): void | Promise<void> {
    for (let index = 0; index < handlers.length; index++) {
      const running = this.tell(handlers[index]!, event);
      if (running) return running.then(() => this.deliver(handlers.slice(index + 1), event));
    }
  }

  private tell(handler: Handler, event: object): void | Promise<void> {
    try {
      const running = handler(event as never);
      if (running instanceof Promise) return running.catch((error: unknown) => this.logFailure(event, error));
    } catch (error) {
      this.logFailure(event, error);
    }
  }

  private logFailure(event: object, error: unknown): void {
    this.logger.error(`A handler of ${event.constructor.name} failed: ${thrownText(error)}`, (error as Error)?.stack);
  }
}
