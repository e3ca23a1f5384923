import { Injectable } from '@nestjs/common';
import type { RealtimeClient } from './realtime-client.js';
import { SubscriptionTopic } from './subscription-topic.js';

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
 * Who listens to what, by the path of the topic: what an event costs depends on its listeners and on nobody else
 * (RT-86). A topic that many listen to is taken apart once.
 */
@Injectable()
export class SubscriptionIndex {
  private readonly paths = new Map<string, Map<string, MutableSubscribers>>();
  /** What is indexed of each client: a stream may lose a topic by itself (RT-94). */
  private readonly indexed = new Map<RealtimeClient, ReadonlySet<string>>();

  /** True when nobody listens to anything. */
  get isEmpty(): boolean {
    return this.paths.size === 0;
  }

  /** Replaces what a client listens to, in one step. */
  replace(client: RealtimeClient, topics: ReadonlySet<string>): void {
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
  }

  /** The topics that a record belongs to: by id and by name, as one record and as one of all (RT-40, RT-41). */
  ofRecord({ collection, id }: RecordAddress): Subscribers[] {
    if (this.isEmpty) return [];
    const found: Subscribers[] = [];
    for (const name of collection.id === collection.name ? [collection.id] : [collection.id, collection.name]) {
      for (const path of [`${name}/*`, name, `${name}/${id}`]) {
        const topics = this.paths.get(path);
        if (topics) for (const subscribers of topics.values()) found.push(subscribers);
      }
    }
    return found;
  }

  /** The topics whose path or whole text is this one (RT-90). */
  ofTopic(topic: string): Subscribers[] {
    const mark = topic.indexOf('?');
    const topics = this.paths.get(mark < 0 ? topic : topic.slice(0, mark));
    if (!topics) return [];
    if (mark < 0) return [...topics.values()];
    const exact = topics.get(topic);
    return exact ? [exact] : [];
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

function pathOf(text: string): string {
  const mark = text.indexOf('?');
  return mark < 0 ? text : text.slice(0, mark);
}
