import { Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { isFault } from '../database/database.error.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Collection } from '../kernel/collections/collection.js';
import { thrownText } from '../kernel/errors/message-of.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isLong } from '../kernel/json-in-pieces.js';
import type { ExpandStep } from '../kernel/query/expand.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { CandidateCheck } from '../kernel/resolve/candidate-compiler.js';
import { findRelation } from '../kernel/resolve/relations.js';
import type { RecordAction } from '../records/record-changed.event.js';
import { AnswerLimits } from '../records/read/answer-limits.js';
import { ExpandSize } from '../records/read/expand-size.js';
import { RecordExpander } from '../records/read/record-expander.js';
import { type PreparedRecords, RecordPresenter } from '../records/read/record-presenter.js';
import { EnrichRecord } from '../records/record.hooks.js';
import { inChunks } from '../sse/in-chunks.js';
import { jsonLine, longJsonLine } from '../sse/sse-message.js';
import { identityOf } from './realtime-client.js';
import type { Listener } from './record-audience.js';
import { type CheckedRecord, RecordChecks } from './record-checks.js';
import type { SubscriptionTopic } from './subscription-topic.js';

/** What happened to a record, and the record with the values of that moment. */
export interface RecordEvent extends CheckedRecord {
  readonly action: RecordAction;
  readonly record: RecordModel;
}

/** How a listener sees the record: equal views have equal content, of which each topic may pick other fields. */
interface View {
  readonly key: string;
  /** For whom related records are counted together (EXP-12): an account, or all who see what a guest sees. */
  readonly viewer: string;
  readonly caller: Caller;
  readonly showEmail: boolean;
}

/** A listener and the prepared content it gets; equal views share it. */
export interface PreparedListener extends Listener {
  readonly content: PreparedContent;
}

interface PreparedContent {
  readonly action: RecordAction;
  /** Undefined when it could not be read; then no message is sent. */
  readonly prepared: PreparedRecords | undefined;
}

/** The data of listeners: those who see the same fields of the same content get the same. */
export class WrittenContent {
  /** Of all that was made. */
  characters = 0;
  private readonly written = new Map<PreparedContent, Map<string, Promise<string | undefined>>>();

  constructor(private readonly make: (listener: PreparedListener) => Promise<string | undefined>) {}

  /** Undefined when it cannot be made. */
  of(listener: PreparedListener): Promise<string | undefined> {
    const { content, topic } = listener;
    let byFields = this.written.get(content);
    if (!byFields) this.written.set(content, (byFields = new Map()));
    const { fields = '' } = topic.request.query;
    let data = byFields.get(fields);
    if (!data) byFields.set(fields, (data = this.counted(listener)));
    return data;
  }

  private async counted(listener: PreparedListener): Promise<string | undefined> {
    const data = await this.make(listener);
    this.characters += data?.length ?? 0;
    return data;
  }
}

/**
 * The data of a record's messages (RT-71 to RT-74): each distinct view is made once, however many listeners share it.
 * In two steps: `prepare` only reads, as a part of a consistent read, and `write` calls the hooks.
 */
@Injectable()
export class RecordContent {
  private readonly logger = new Logger('Realtime');

  constructor(
    private readonly store: CollectionStore,
    private readonly hooks: HookRegistry,
    private readonly checks: RecordChecks,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly limits: AnswerLimits,
  ) {}

  /** The listeners with the content they get. */
  async prepare(event: RecordEvent, listeners: readonly Listener[]): Promise<readonly PreparedListener[]> {
    const emailViewers = await this.emailViewers(event, listeners);
    const contents = new Map<string, Promise<PreparedContent>>();
    const sizes = new Map<string, ExpandSize>();
    const preparedListeners: PreparedListener[] = [];
    await inChunks(listeners.entries(), async (chunk) => {
      for (const [index, { client, topic }] of chunk) {
        const view = this.viewOf(event, { client, topic }, emailViewers);
        let content = contents.get(view.key);
        if (!content) {
          let size = sizes.get(view.viewer);
          if (!size) sizes.set(view.viewer, (size = new ExpandSize(this.limits)));
          contents.set(view.key, (content = this.read(event, topic, view, size)));
        }
        preparedListeners[index] = { client, topic, content: await content };
      }
    });
    return preparedListeners;
  }

  /** The data of listeners, with nothing made yet. */
  write(): WrittenContent {
    return new WrittenContent(({ content, topic }) => this.toData(content, topic));
  }

  private async read(
    event: RecordEvent,
    topic: SubscriptionTopic,
    view: View,
    size: ExpandSize,
  ): Promise<PreparedContent> {
    const { action } = event;
    const record = event.record.snapshot();
    try {
      if (topic.expand.length > 0) await this.expand(record, topic, view.caller, size);
      return { action, prepared: await this.presenter.prepare([record], view.caller, { showEmail: view.showEmail }) };
    } catch (error) {
      if (isFault(error)) throw error;
      this.tell(topic, error);
      return { action, prepared: undefined };
    }
  }

  /** Expanded records that are too much for the messages of one event are left out (EXP-12). */
  private async expand(record: RecordModel, topic: SubscriptionTopic, caller: Caller, size: ExpandSize): Promise<void> {
    try {
      await this.expander.expand([record], topic.expand, caller, size);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      record.expand = undefined;
      const { expand = '' } = topic.request.query;
      this.logger.warn(
        `A message of "${record.collection.name}" goes without its expand "${expand}": ${error.message}`,
      );
    }
  }

  private async toData({ action, prepared }: PreparedContent, topic: SubscriptionTopic): Promise<string | undefined> {
    if (!prepared) return undefined;
    try {
      topic.picker?.reading?.renew();
      const record = await this.presenter.presentOne(prepared, topic.picker);
      return isLong(record) ? await longJsonLine({ action, record }) : jsonLine({ action, record });
    } catch (error) {
      if (isFault(error)) throw error;
      this.tell(topic, error);
      return undefined;
    }
  }

  private tell(topic: SubscriptionTopic, error: unknown): void {
    this.logger.debug(`A message for ${topic.text} was dropped: ${thrownText(error)}`);
  }

  private viewOf(event: RecordEvent, { client, topic }: Listener, emailViewers: ReadonlySet<string>): View {
    const caller = new Caller(client.auth, topic.request, client.ip);
    const showEmail = caller.isSuperuser || emailViewers.has(client.identity);
    if (this.isPersonal(event.collection, topic.expand, caller)) {
      return { key: `${client.identity}\0${topic.text}`, viewer: client.identity, caller, showEmail };
    }
    const { expand = '' } = topic.request.query;
    const kind = caller.isSuperuser ? 'all' : showEmail ? 'email' : 'some';
    // Unless hooks or rules depend on the account, a caller sees what a guest sees.
    const anybody = caller.isSuperuser ? caller : new Caller(null, topic.request);
    return { key: `${kind}\0${expand}`, viewer: '', caller: anybody, showEmail };
  }

  /** Whether hooks, or the rules of related collections, may show the record differently to each account. */
  private isPersonal(collection: Collection, steps: readonly ExpandStep[], caller: Caller): boolean {
    if (this.hooks.has(EnrichRecord, collection)) return true;
    return steps.some(({ name, steps: deeper }) => {
      const target = findRelation(collection, name, this.store.catalog)?.target;
      if (!target) return false;
      const depends = !caller.isSuperuser && (target.isAuth || target.viewRule?.includes('@request.'));
      return depends || this.isPersonal(target, deeper, caller);
    });
  }

  /** The accounts that may see the hidden email of an account's record: itself, and those who manage it (JSON-6). */
  private async emailViewers(event: RecordEvent, listeners: readonly Listener[]): Promise<ReadonlySet<string>> {
    const { collection, record } = event;
    const viewers = new Set<string>();
    if (!collection.isAuth || record.get('emailVisibility') === true) return viewers;
    viewers.add(identityOf(record));
    const rule = collection.auth?.manageRule;
    if (!rule) return viewers;
    const questions = new Map<string, CandidateCheck>();
    for (const { client, topic } of listeners) {
      const caller = new Caller(client.auth, topic.request, client.ip);
      if (!caller.isGuest && !caller.isSuperuser) questions.set(client.identity, { caller, rule });
    }
    const holding = await this.checks.holding(event, [...questions.values()]);
    for (const [identity, check] of questions) if (holding.has(check)) viewers.add(identity);
    return viewers;
  }
}
