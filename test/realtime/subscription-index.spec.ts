import { describe, expect, it } from 'vitest';
import { RealtimeClient } from '../../src/realtime/realtime-client.js';
import { SubscriptionLimits } from '../../src/realtime/subscription-limits.js';
import { SubscriptionIndex } from '../../src/realtime/subscription-index.js';
import type { SseClient } from '../../src/sse/sse-client.js';

const posts = { id: 'pbc_1', name: 'posts' };

function client(id: string): RealtimeClient {
  return new RealtimeClient({ id, topics: new Set() } as unknown as SseClient, () => {});
}

function found(entries: ReturnType<SubscriptionIndex['ofRecord']>): string[] {
  return entries.flatMap(({ topic, clients }) => [...clients].map((each) => `${each.id} ${topic.text}`)).sort();
}

describe('the index of subscriptions', () => {
  it('RT-40 RT-41 finds the topics of a record by id and by name, exactly', () => {
    const index = new SubscriptionIndex(new SubscriptionLimits());
    index.replace(
      client('a'),
      new Set(['posts/*', 'posts', 'posts/r1', 'pbc_1/*', 'posts/r2', 'Posts/*', 'posts/*/r1', 'posts/', 'post/*', '']),
    );
    expect(found(index.ofRecord({ collection: posts, id: 'r1' }))).toEqual([
      'a pbc_1/*',
      'a posts',
      'a posts/*',
      'a posts/r1',
    ]);
    expect(found(index.ofRecord({ collection: { id: 'pbc_1', name: 'renamed' }, id: 'r1' }))).toEqual(['a pbc_1/*']);
  });

  it('RT-43 takes topics that differ in any character as two', () => {
    const index = new SubscriptionIndex(new SubscriptionLimits());
    index.replace(client('a'), new Set(['posts/*?filter=a=1', 'posts/*?filter=a= 1', 'posts/*']));
    expect(index.ofRecord({ collection: posts, id: 'r' })).toHaveLength(3);
  });

  it('RT-28 replaces the whole set and forgets what nobody listens to', () => {
    const index = new SubscriptionIndex(new SubscriptionLimits());
    const [first, second] = [client('a'), client('b')];
    index.replace(first, new Set(['posts/*', 'posts/r1']));
    index.replace(second, new Set(['posts/*']));
    index.replace(first, new Set(['posts/r2']));
    expect(found(index.ofRecord({ collection: posts, id: 'r1' }))).toEqual(['b posts/*']);
    index.drop(second);
    index.replace(first, new Set());
    expect(index.ofRecord({ collection: posts, id: 'r2' })).toEqual([]);
    expect(index.isEmpty).toBe(true);
  });

  it('RT-94 lets go of a client that lost a topic by itself', () => {
    const index = new SubscriptionIndex(new SubscriptionLimits());
    const one = client('a');
    index.replace(one, new Set(['@oauth2']));
    one.stream.topics = new Set();
    index.drop(one);
    expect(index.isEmpty).toBe(true);
  });

  it('RT-90 finds a topic by its path and by its whole text', () => {
    const index = new SubscriptionIndex(new SubscriptionLimits());
    index.replace(client('a'), new Set(['news', 'news?x=1', 'news/x']));
    expect(found(index.ofTopic('news'))).toEqual(['a news', 'a news?x=1']);
    expect(found(index.ofTopic('news?x=1'))).toEqual(['a news?x=1']);
    expect(found(index.ofTopic('news?x=2'))).toEqual([]);
    expect(found(index.ofTopic('other'))).toEqual([]);
  });
});
