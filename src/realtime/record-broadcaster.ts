import { Injectable, Logger } from '@nestjs/common';
import { CatalogReader } from '../collections/catalog-reader.js';
import { Database } from '../database/database.js';
import { OnEvent } from '../events/on-event.decorator.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { type RecordAction, RecordChanged } from '../records/record-changed.event.js';
import { BeforeRecordDelete, EnrichRecord, type RecordDeleteEvent } from '../records/record.hooks.js';
import { inChunks } from '../sse/in-chunks.js';
import { AccountRefresher } from './account-refresher.js';
import { withCurrentFields } from './current-fields.js';
import { PendingDeleteEvents } from './pending-delete-events.js';
import { DeliveryQueue } from './delivery-queue.js';
import { type Delivery, DeliveryWriter, toDelivery } from './delivery-writer.js';
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
  @BeforeRecordDelete({ order: Number.MAX_SAFE_INTEGER, observes: true })
  async prepareDelete({ record }: RecordDeleteEvent): Promise<void> {
    const before = this.decidedBefore(record);
    if (before.length === 0) return;
    try {
      // Outside of the transaction, the database is still as it was before (RT-63).
      const work = () => this.prepare('delete', record.snapshot(), before);
      this.deletes.keep(record, await this.database.runOutside(work), new Set(before.map(({ topic }) => topic.text)));
    } catch (error) {
      this.logger.error(`Nobody hears of a delete: ${thrownText(error)}`, (error as Error)?.stack);
    }
  }

  @OnEvent(RecordChanged, { everywhere: 'streams' })
  recordChanged({ action, record }: RecordChanged): void {
    if (action === 'delete') return this.announceDelete(record);
    if (this.index.ofRecord(record).length === 0) return;
    this.queue.add(async () => {
      const deliveries = await this.prepare(action, record, this.index.ofRecord(record));
      await this.writer.write(deliveries, record.collection);
    });
  }

  /**
   * The topics that depend on other records, which may be gone after the commit. When there are too many, they are
   * handled after it like the rest, because other writers wait meanwhile.
   */
  private decidedBefore(record: RecordModel): readonly Subscribers[] {
    const { collection } = record;
    const subscribers = this.index.ofRecord(record);
    if (subscribers.length === 0) return subscribers;
    // Hooks, and the clients of a deleted account, must find everything as it was before the delete.
    const isAll = collection.isAuth || this.hooks.has(EnrichRecord, collection);
    const before: Subscribers[] = [];
    let questions = 0;
    for (const entry of subscribers) {
      if (!isAll && this.audience.isSelfContained(collection, entry.topic)) continue;
      questions += entry.topic.filter === '' ? 1 : entry.clients.size;
      if (questions > this.limits.questionsBeforeDelete) break;
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
    this.queue.add(async () => {
      const rest = await this.prepare('delete', record, others());
      await this.writer.write([...deliveries.map(wanted), ...rest], record.collection);
    });
  }

  /** The messages of one change for those who may have them. */
  private async prepare(
    action: RecordAction,
    changed: RecordModel,
    subscribers: readonly Subscribers[],
  ): Promise<Delivery[]> {
    if (subscribers.length === 0) return [];
    const listeners = await this.reads.during((catalog) => this.listeners(catalog, action, changed, subscribers));
    const dataOf = this.content.write();
    const messages = new Messages();
    await inChunks(listeners, async (chunk) => {
      for (const listener of chunk) {
        const data = await dataOf(listener);
        if (data !== undefined) messages.add(listener.topic.text, data, listener.client);
      }
    });
    return messages.toDeliveries();
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
  private readonly topics = new Map<string, Map<string, RealtimeClient[]>>();

  add(topic: string, data: string, client: RealtimeClient): void {
    let byData = this.topics.get(topic);
    if (!byData) this.topics.set(topic, (byData = new Map()));
    const clients = byData.get(data);
    if (clients) clients.push(client);
    else byData.set(data, [client]);
  }

  toDeliveries(): Delivery[] {
    return [...this.topics].flatMap(([topic, byData]) =>
      [...byData].map(([data, clients]) => toDelivery(topic, data, clients)),
    );
  }
}
