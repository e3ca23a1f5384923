import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isFault } from '../database/database.error.js';
import { Outbox } from '../events/outbox.js';
import { SseHub } from '../sse/sse-hub.js';
import { thrownText } from '../kernel/errors/message-of.js';

/** Most events that may wait. With more, clients are too far behind: the streams are ended and clients read again. */
const MAX_WAITING = 50_000;

/** Milliseconds for which an event waits for a database that is away, and between two tries. */
const PATIENCE = 30_000;
const PAUSE = 100;

/**
 * What is done for one event, from finding out who may have it to writing it. It is done again as a whole when the
 * database was away, so nothing fails after the first message is written.
 */
export type DeliveryTask = () => void | Promise<void>;

/**
 * Handles events one after another in the order of their commits, which keeps the order of every client's messages
 * (RT-80). It runs beside the requests that caused the events and never inside a transaction. When too many wait, all
 * streams are ended, so that no client misses an event without knowing.
 */
@Injectable()
export class DeliveryQueue {
  private readonly logger = new Logger('Realtime');
  private tasks: DeliveryTask[] = [];
  /** The tasks whose turn has come, the next one last. One that is over keeps no record in memory. */
  private begun: DeliveryTask[] = [];
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
    void this.database.runOutside(() => this.run());
  }

  private async run(): Promise<void> {
    while (this.tasks.length > 0) {
      this.begun = this.tasks.reverse();
      this.tasks = [];
      for (let task = this.begun.pop(); task; task = this.begun.pop()) {
        // Lets requests and sockets run first, so that a burst of events neither blocks them nor piles up unwritten.
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
    this.begun.length = 0;
    this.hub.endAll();
  }

  private async perform(task: DeliveryTask): Promise<void> {
    for (const end = performance.now() + PATIENCE; ;) {
      try {
        return await task();
      } catch (error) {
        if (!isFault(error)) {
          this.logger.error(`An event could not be delivered: ${thrownText(error)}`, (error as Error)?.stack);
          return;
        }
        if (performance.now() > end) return this.giveUp(`The database is away: ${error.message}`);
      }
      await sleep(PAUSE, undefined, { ref: false });
    }
  }
}
