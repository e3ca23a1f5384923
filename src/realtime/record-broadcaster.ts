import { Injectable, Logger } from '@nestjs/common';
import { CatalogReader } from '../collections/catalog-reader.js';
import { Database } from '../database/database.js';
import { OnEvent } from '../events/on-event.decorator.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { type RecordAction, RecordChanged } from '../records/record-changed.event.js';
import { BeforeRecordDelete, EnrichRecord, type RecordDeleteEvent } from '../records/record.hooks.js';
import { bytesOf } from '../records/read/expand-size.js';
import { inChunks } from '../sse/in-chunks.js';
import { AccountRefresher } from './account-refresher.js';
import { withCurrentFields } from './current-fields.js';
import { PendingDeleteEvents } from './pending-delete-events.js';
import { DeliveryQueue, type DeliveryTask } from './delivery-queue.js';
import { type Delivery, DeliveryWriter } from './delivery-writer.js';
import type { RealtimeClient } from './realtime-client.js';
import { RecordAudience } from './record-audience.js';
import { type PreparedListener, RecordContent } from './record-content.js';
import { type Subscribers, SubscriptionIndex } from './subscription-index.js';
import { SubscriptionLimits } from './subscription-limits.js';

/**
 * Turns changes of records into messages. Creates and updates are handled after their commit, beside the request, and
 * so are deletes for which the record alone decides. For other deletes the receivers and messages are prepared before
 * the row goes and written after the commit.
 */
@Injectable()
export class RecordBroadcaster {
  private readonly logger = new Logger('Realtime');

  constructor(
    private readonly database: Database,
    private readonly reads: CatalogReader,
    private readonly accounts: AccountRefresher,
    private readonly index: SubscriptionIndex,
    private readonly audience: RecordAudience,
    private readonly content: RecordContent,
    private readonly deletes: PendingDeleteEvents,
    private readonly queue: DeliveryQueue,
    private readonly writer: DeliveryWriter,
    private readonly hooks: HookRegistry,
    private readonly limits: SubscriptionLimits,
  ) {}

  /** Runs after all other handlers, because they may refuse the delete. It never fails the delete. */
  @BeforeRecordDelete({ order: Number.MAX_SAFE_INTEGER, observes: 'streams' })
  async prepareDelete({ record }: RecordDeleteEvent): Promise<void> {
    const before = this.decidedBefore(record);
    if (before.length === 0) return;
    try {
      // Outside of the transaction, the database is still as it was before (RT-63).
      const work = async (): Promise<Delivery[]> => {
        const deliveries: Delivery[] = [];
        const listeners = await this.prepare('delete', record.snapshot(), before);
        await this.eachDelivery(new Set(listeners), (some) => void deliveries.push(...some));
        return deliveries;
      };
      this.deletes.keep(record, await this.database.runOutside(work), new Set(before.map(({ topic }) => topic.text)));
    } catch (error) {
      this.logger.error(`Nobody hears of a delete: ${thrownText(error)}`, (error as Error)?.stack);
    }
  }

  @OnEvent(RecordChanged, { everywhere: 'streams' })
  recordChanged({ action, record }: RecordChanged): void {
    if (action === 'delete') return this.announceDelete(record);
    if (this.index.ofRecord(record).length === 0) return;
    this.queue.add(this.telling(action, record, () => this.index.ofRecord(record)));
  }

  /**
   * The topics that depend on other records, which may be gone after the commit. When there are too many, or too much
   * would be kept until then, they are handled after it like the rest, because other writers wait meanwhile.
   */
  private decidedBefore(record: RecordModel): readonly Subscribers[] {
    const { collection } = record;
    const subscribers = this.index.ofRecord(record);
    if (subscribers.length === 0) return subscribers;
    // Hooks, and the clients of a deleted account, must find everything as it was before the delete.
    const isAll = collection.isAuth || this.hooks.has(EnrichRecord, collection);
    const before: Subscribers[] = [];
    const bytes = bytesOf(record.toRow());
    let questions = 0;
    for (const entry of subscribers) {
      if (!isAll && this.audience.isSelfContained(collection, entry.topic)) continue;
      questions += entry.topic.filter === '' ? 1 : entry.clients.size;
      if (questions > this.limits.questionsBeforeDelete) break;
      // Each may ask for other fields.
      if (this.deletes.bytes + (before.length + 1) * bytes > this.limits.bytesBeforeDelete) break;
      before.push(entry);
    }
    return before;
  }

  private announceDelete(deleted: RecordModel): void {
    const { deliveries, topics } = this.deletes.take(deleted);
    const others = () => this.index.ofRecord(deleted).filter(({ topic }) => !topics.has(topic.text));
    if (deliveries.length === 0 && others().length === 0) return;
    const record = deleted.snapshot();
    // Topics that were given up during the transaction are skipped (RT-30).
    const wanted = (delivery: Delivery) => ({
      ...delivery,
      clients: delivery.clients.filter(({ topics }) => topics.has(delivery.topic)),
    });
    this.queue.add(this.telling('delete', record, others, () => deliveries.map(wanted)));
  }

  /**
   * Tells those who may hear of a change, after what was `decided` before. When the database goes away meanwhile, it goes
   * on where it was, so that nobody is told twice.
   */
  private telling(
    action: RecordAction,
    record: RecordModel,
    subscribers: () => readonly Subscribers[],
    decided?: () => readonly Delivery[],
  ): DeliveryTask {
    const write = (deliveries: readonly Delivery[]) => this.writer.write(deliveries, record.collection);
    let listeners: Set<PreparedListener> | undefined;
    return async () => {
      if (!listeners) {
        listeners = new Set(await this.prepare(action, record, subscribers()));
        if (decided) await write(decided());
      }
      await this.eachDelivery(listeners, write);
    };
  }

  /** Those who may have the messages of one change, and what they see. */
  private async prepare(
    action: RecordAction,
    changed: RecordModel,
    subscribers: readonly Subscribers[],
  ): Promise<readonly PreparedListener[]> {
    if (subscribers.length === 0) return [];
    return this.reads.during((catalog) => this.listeners(catalog, action, changed, subscribers));
  }

  /**
   * Makes messages and hands them over, all of them at once unless they are large: then so many that their data fit into
   * memory. Takes the listeners whose messages were handed over out of the set.
   */
  private async eachDelivery(
    listeners: Set<PreparedListener>,
    handOver: (deliveries: readonly Delivery[]) => void | Promise<void>,
  ): Promise<void> {
    let messages = new Messages();
    let written = this.content.write();
    const flush = async (): Promise<void> => {
      const full = messages;
      messages = new Messages();
      // What was made before is not needed for others, or is made again.
      written = this.content.write();
      await handOver(full.toDeliveries());
      for (const listener of full.listeners) listeners.delete(listener);
    };
    const turn = new EventLoopTurn();
    let isOver = false;
    try {
      await inChunks(listeners, async (chunk) => {
        for (const listener of chunk) {
          if (turn.isOver) await turn.next();
          const data = await written.of(listener);
          // Another chunk has failed: all of it is done again.
          if (isOver) return;
          messages.add(listener, data);
          if (written.characters > this.limits.charactersAtOnce) await flush();
        }
      });
      await flush();
    } finally {
      isOver = true;
    }
  }

  /** A consistent read: who may hear of a record and what they see of it, all of it by one version of the catalog. */
  private async listeners(
    catalog: CatalogSnapshot,
    action: RecordAction,
    changed: RecordModel,
    subscribers: readonly Subscribers[],
  ): Promise<readonly PreparedListener[]> {
    const collection = catalog.findById(changed.collection.id);
    if (!collection) return [];
    await this.accounts.keepCurrent(catalog, subscribers);
    const record = withCurrentFields(changed, collection);
    const event = { action, record, collection, row: record.toRow() };
    const listeners = await this.audience.of(event, subscribers);
    return listeners.length > 0 ? this.content.prepare(event, listeners) : [];
  }
}

/** Groups the receivers of the same data under the same topic. */
class Messages {
  readonly listeners: PreparedListener[] = [];
  private readonly topics = new Map<string, Map<string, RealtimeClient[]>>();

  /** Without data there is no message for the listener. */
  add(listener: PreparedListener, data: string | undefined): void {
    this.listeners.push(listener);
    if (data === undefined) return;
    const { client, topic } = listener;
    let byData = this.topics.get(topic.text);
    if (!byData) this.topics.set(topic.text, (byData = new Map()));
    const clients = byData.get(data);
    if (clients) clients.push(client);
    else byData.set(data, [client]);
  }

  toDeliveries(): Delivery[] {
    return [...this.topics].flatMap(([topic, byData]) =>
      [...byData].map(([data, clients]) => ({ topic, data, clients })),
    );
  }
}
