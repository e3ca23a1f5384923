import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Outbox } from '../events/outbox.js';
import { SseHub } from '../sse/sse-hub.js';

/** Events that may wait. More of them than clients can be told in time is a reason to let them look for themselves. */
const MAX_WAITING = 50_000;

/** What is done for one event, from finding out who may have it to writing it. */
export type DeliveryTask = () => void | Promise<void>;

/**
 * Deals with events one after another, in the order in which they were committed: that is what keeps the order of
 * every client's messages (RT-80). Runs beside the requests that caused the events and never inside a transaction.
 * When too many wait, all streams are ended instead: nobody misses an event without knowing.
 */
@Injectable()
export class DeliveryQueue {
  private readonly logger = new Logger('Realtime');
  private tasks: DeliveryTask[] = [];
  private running = false;

  constructor(
    private readonly database: Database,
    private readonly hub: SseHub,
    outbox: Outbox,
  ) {
    outbox.onMissed(() => this.giveUp('Events of other processes are gone that were not read in time'));
  }

  add(task: DeliveryTask): void {
    if (this.tasks.length >= MAX_WAITING) return this.giveUp(`More than ${MAX_WAITING} events wait to be delivered`);
    this.tasks.push(task);
    if (this.running) return;
    this.running = true;
    void this.database.outside(() => this.run());
  }

  private async run(): Promise<void> {
    while (this.tasks.length > 0) {
      const tasks = this.tasks;
      this.tasks = [];
      for (const task of tasks) {
        // Requests and sockets come first: a burst of events must neither stop the others nor pile up unwritten.
        await nextTurn();
        await this.perform(task);
      }
    }
    this.running = false;
  }

  /** Clients connect again and look for themselves what they have missed (RT-98). */
  private giveUp(reason: string): void {
    this.logger.warn(`${reason}: all streams are ended.`);
    this.tasks = [];
    this.hub.endAll();
  }

  private async perform(task: DeliveryTask): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.logger.error(`An event could not be delivered: ${String(error)}`, (error as Error)?.stack);
    }
  }
}
