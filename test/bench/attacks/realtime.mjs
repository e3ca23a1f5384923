// Streams and topics that one client opens, and the writes of others.
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, indexed, notes, posts } from '../attack-collections.mjs';
import { id, records } from '../attack-target.mjs';
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

const wide = {
  ...posts,
  updateRule: '',
  fields: [
    ...posts.fields,
    { name: 'html', type: 'editor' },
    { name: 'post', type: 'relation', collectionId: posts.id },
  ],
};

/** Streams with so many topics each, and what happens to records of so many characters meanwhile. */
const beside = (name, { streams = 1, topics, topic, width, count, settings, run }) => ({
  name,
  collections: [wide],
  settings,
  rows: (db) => fill(db, count, { html: () => 'x'.repeat(width) }),
  run: async (target) => {
    for (let number = 0; number < streams; number += 1) {
      const { clientId } = await new EventStream(target.origin).connected;
      const subscriptions = Array.from({ length: topics }, (_, index) => topic(index, number));
      await target.send('POST', '/api/realtime', { clientId, subscriptions });
    }
    await run(target);
    await sleep(4000);
  },
});

const update = (target, index) => target.send('PATCH', `${records('posts')}/${id(index)}`, { title: 'new' });

/** A create of a long text of which every event tells a stream. */
const told = (what, character, count) => ({
  name: `a stream, and a create with ${what}`,
  collections: [{ ...posts, fields: [...posts.fields, { name: 'html', type: 'editor' }] }],
  run: async (target) => {
    const { clientId } = await new EventStream(target.origin).connected;
    await target.send('POST', '/api/realtime', { clientId, subscriptions: ['posts/*'] });
    await target.post('posts', { html: character.repeat(count) });
    await sleep(2_000);
  },
});

export const attacks = [
  told('4 MB of control characters', '\u0001', 4_000_000),
  told('2 million ends of a line', '\u0085', 2_000_000),
  beside('a stream of 1,000 topics, then an update of a record of 2 MB', {
    topics: 1000,
    topic: (index) => `posts/*?a=${index}`,
    width: 2_000_000,
    count: 1,
    run: (target) => update(target, 0),
  }),
  beside('a stream of 1,000 topics of other fields, then an update of a record of 1 MB', {
    topics: 1000,
    topic: (index) => `posts/*?fields=html,a${index}`,
    width: 1_000_000,
    count: 1,
    run: (target) => update(target, 0),
  }),
  beside('100 streams of 10 topics, then 20 updates of records of 1 MB', {
    streams: 100,
    topics: 10,
    topic: (index, number) => `posts/*?a=${number}.${index}`,
    width: 1_000_000,
    count: 20,
    run: (target) => target.together(20, (index) => update(target, index)),
  }),
  beside('a stream of 140 topics about relations, then a batch of 50 deletes of records of 1 MB', {
    topics: 140,
    topic: (index) => `posts/*?filter=post.title = ''&fields=html,a${index}`,
    width: 1_000_000,
    count: 50,
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    run: (target) =>
      target.send('POST', '/api/batch', {
        requests: Array.from({ length: 50 }, (_, index) => ({
          method: 'DELETE',
          url: `${records('posts')}/${id(index)}`,
        })),
      }),
  }),
  {
    name: '1,000 streams of 1,000 short topics, then a write',
    collections: [posts],
    run: async (target) => {
      for (let number = 0; number < 1000; number += 1) {
        const { clientId } = await new EventStream(target.origin).connected;
        const subscriptions = Array.from({ length: 1000 }, (_, index) => `posts/${number}.${index}`);
        await target.send('POST', '/api/realtime', { clientId, subscriptions });
      }
      await target.post('posts', { title: 'x' });
    },
  },
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
