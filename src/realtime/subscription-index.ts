import { Injectable } from '@nestjs/common';
import { TooManyRequestsError } from '../kernel/errors/too-many-requests.error.js';
import type { RealtimeClient } from './realtime-client.js';
import { SubscriptionLimits } from './subscription-limits.js';
import { pathOf, SubscriptionTopic } from './subscription-topic.js';

/** Seconds after which a client that found no room for its topics may try again. */
const RETRY_AFTER = 5;

const TOO_LONG = 'The topics of one stream are too long together. Use fewer topics, or shorter filters.';
const NO_ROOM = 'There is no room for further topics at the moment.';

/** A topic and everybody who listens to it. */
export interface Subscribers {
  readonly topic: SubscriptionTopic;
  readonly clients: ReadonlySet<RealtimeClient>;
}

interface MutableSubscribers extends Subscribers {
  readonly clients: Set<RealtimeClient>;
}

/** A record's place in the topics. */
export interface RecordAddress {
  readonly collection: { readonly id: string; readonly name: string };
  readonly id: string;
}

/**
 * Finds listeners by the path of their topic, so that an event costs only what its own listeners cost (RT-86). A topic
 * with many listeners is parsed once.
 */
@Injectable()
export class SubscriptionIndex {
  private readonly paths = new Map<string, Map<string, MutableSubscribers>>();
  /** What is indexed of each client: a stream may lose a topic by itself (RT-94). */
  private readonly indexed = new Map<RealtimeClient, ReadonlySet<string>>();
  private readonly bytes = new Map<RealtimeClient, number>();
  private allBytes = 0;

  constructor(private readonly limits: SubscriptionLimits) {}

  /** True when nobody listens to anything. */
  get isEmpty(): boolean {
    return this.paths.size === 0;
  }

  /** Throws 429 when there is no room for a client's topics, in the place of those it has (RT-84a). */
  requireRoom(client: RealtimeClient, topics: ReadonlySet<string>): void {
    const bytes = this.bytesOf(topics);
    const before = this.bytes.get(client) ?? 0;
    if (bytes > this.limits.bytesPerStream) throw new TooManyRequestsError(undefined, TOO_LONG);
    // A client that needs less than before is never refused.
    if (bytes > before && this.allBytes - before + bytes > this.limits.bytes) {
      throw new TooManyRequestsError(RETRY_AFTER, NO_ROOM);
    }
  }

  /** Replaces what a client listens to, in one step. */
  replace(client: RealtimeClient, topics: ReadonlySet<string>): void {
    this.count(client, this.bytesOf(topics));
    const before = this.indexed.get(client) ?? new Set();
    client.stream.topics = topics;
    this.indexed.set(client, topics);
    for (const topic of before) if (!topics.has(topic)) this.remove(client, topic);
    for (const topic of topics) if (!before.has(topic)) this.add(client, topic);
  }

  /** Forgets a client. */
  drop(client: RealtimeClient): void {
    for (const topic of this.indexed.get(client) ?? []) this.remove(client, topic);
    this.indexed.delete(client);
    this.count(client, 0);
  }

  /** The topics that a record belongs to: by id and by name, as one record and as one of all (RT-40, RT-41). */
  ofRecord(record: RecordAddress): Subscribers[] {
    if (this.isEmpty) return [];
    const { collection, id } = record;
    const found: Subscribers[] = [];
    for (const name of collection.id === collection.name ? [collection.id] : [collection.id, collection.name]) {
      for (const path of [`${name}/*`, name, `${name}/${id}`]) {
        const topics = this.paths.get(path);
        // Not with spread: so many elements would be too many arguments.
        if (topics) for (const subscribers of topics.values()) found.push(subscribers);
      }
    }
    return found;
  }

  /** The topics whose path or whole text is this one (RT-90). */
  ofTopic(topic: string): Subscribers[] {
    const topics = this.paths.get(pathOf(topic));
    if (!topics) return [];
    if (!topic.includes('?')) return [...topics.values()];
    const exact = topics.get(topic);
    return exact ? [exact] : [];
  }

  private bytesOf(topics: ReadonlySet<string>): number {
    let bytes = topics.size * this.limits.bytesPerTopic;
    for (const topic of topics) bytes += Buffer.byteLength(topic);
    return bytes;
  }

  private count(client: RealtimeClient, bytes: number): void {
    this.allBytes += bytes - (this.bytes.get(client) ?? 0);
    if (bytes > 0) this.bytes.set(client, bytes);
    else this.bytes.delete(client);
  }

  private add(client: RealtimeClient, text: string): void {
    const path = pathOf(text);
    let topics = this.paths.get(path);
    if (!topics) this.paths.set(path, (topics = new Map()));
    let entry = topics.get(text);
    if (!entry) topics.set(text, (entry = { topic: new SubscriptionTopic(text), clients: new Set() }));
    entry.clients.add(client);
  }

  private remove(client: RealtimeClient, text: string): void {
    const path = pathOf(text);
    const topics = this.paths.get(path);
    const entry = topics?.get(text);
    if (!topics || !entry) return;
    entry.clients.delete(client);
    if (entry.clients.size === 0) topics.delete(text);
    if (topics.size === 0) this.paths.delete(path);
  }
}
