// Streams and topics that one client opens, and the writes of others.
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, indexed, notes, posts } from '../attack-collections.mjs';
import { id } from '../attack-target.mjs';
import { EventStream } from '../event-stream.mjs';

/** A stream with so many topics, each with a filter of so many conditions. */
async function listen(target, topics, conditions, name = 'posts') {
  const stream = await new EventStream(target.origin).connected;
  const filter = (topic) =>
    Array.from({ length: conditions }, (_, at) => `title != '${topic}.${at}'`).join(' && ') || `title != '${topic}'`;
  const subscriptions = Array.from(
    { length: topics },
    (_, topic) => `${name}/*?options=${encodeURIComponent(JSON.stringify({ query: { filter: filter(topic) } }))}`,
  );
  await target.send('POST', '/api/realtime', { clientId: stream.clientId, subscriptions });
  return stream;
}

export const attacks = [
  // As many as a body of 256 KiB holds, and as many conditions as a topic.
  ...[
    [1000, 4],
    [100, 60],
  ].map(([topics, conditions]) => ({
    name: `a stream of ${topics} topics of ${conditions} conditions, then a write`,
    collections: [posts],
    run: async (target) => {
      await listen(target, topics, conditions);
      await target.post('posts', { title: 'x' });
    },
  })),
  {
    name: '20 streams of 1,000 filtered topics, then a delete',
    collections: [posts],
    rows: (db) => fill(db, 1, { title: () => 'x' }),
    run: async (target) => {
      await target.together(20, () => listen(target, 1000, 1));
      await target.send('DELETE', `/api/collections/posts/records/${id(0)}`);
    },
  },
  {
    name: 'a subscriber beside a cascade of 30,000',
    collections: [posts, { ...notes({ cascadeDelete: true }), ...indexed }],
    rows: (db) => {
      fill(db, 1, { title: () => 'x' });
      fill(db, 30_000, { post: () => id(0) }, 'notes');
    },
    run: async (target) => {
      const stream = await new EventStream(target.origin).connected;
      await target.send('POST', '/api/realtime', { clientId: stream.clientId, subscriptions: ['notes/*'] });
      await target.send('DELETE', `/api/collections/posts/records/${id(0)}`);
    },
  },
  {
    name: 'a subscription of 250 KB of topics',
    run: async (target) => {
      const stream = await new EventStream(target.origin).connected;
      const subscriptions = Array.from({ length: 1000 }, (_, index) => `users/*?${'a=b&'.repeat(50)}${index}`);
      await target.together(20, () =>
        target.send('POST', '/api/realtime', { clientId: stream.clientId, subscriptions }),
      );
    },
  },
  {
    name: '50 streams of 1,000 topics with a query and headers, then a write',
    collections: [posts],
    run: async (target) => {
      await target.together(50, async (number) => {
        const stream = await new EventStream(target.origin).connected;
        const options = (topic) => ({
          query: { fields: 'id,title', expand: 'a,b', filter: `title != '${number}.${topic}'` },
          headers: { 'x-one': `${number}`, 'x-two': `${topic}`, 'x-three': 'three' },
        });
        const subscriptions = Array.from(
          { length: 1000 },
          (_, topic) => `posts/*?options=${encodeURIComponent(JSON.stringify(options(topic)))}`,
        );
        await target.send('POST', '/api/realtime', { clientId: stream.clientId, subscriptions });
      });
      await target.post('posts', { title: 'x' });
      await sleep(3000);
    },
  },
];
