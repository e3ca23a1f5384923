// Small requests about records of 2 MB.
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, indexed, notes, posts as plainPosts } from '../attack-collections.mjs';
import { id, records } from '../attack-target.mjs';
import { EventStream } from '../event-stream.mjs';

const posts = { ...plainPosts, updateRule: '', fields: [...plainPosts.fields, { name: 'html', type: 'editor' }] };
const path = (index, query = '') => `${records('posts')}/${id(index)}${query}`;

/** An attack on so many of these records. */
const wide = (name, run) => ({
  name,
  collections: [posts],
  settings: { batch: { enabled: true, maxRequests: 50, timeout: 30, maxBodySize: 0 } },
  rows: (db) => fill(db, 200, { html: () => 'x'.repeat(2_000_000) }),
  run,
});

/** An attack on a post to which so many notes of 2 MB refer. */
const held = (name, options, run, prepare) => {
  const plain = notes(options);
  const long = { name: 'html', type: 'editor' };
  return {
    name,
    collections: [posts, { ...plain, ...indexed, updateRule: '', fields: [...plain.fields, long] }],
    rows: (db) => {
      fill(db, 1, { title: () => 'x' });
      fill(db, 300, { post: () => id(0), html: () => 'x'.repeat(2_000_000) }, 'notes');
    },
    prepare,
    run,
  };
};

export const attacks = [
  wide('200 views of records of 2 MB', (target) => target.together(200, (index) => target.send('GET', path(index)))),
  wide('200 views of records of 2 MB, of which nothing is read', async (target) => {
    await target.connections(200, (index) => `GET ${path(index)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await sleep(6000);
  }),
  wide('200 updates of records of 2 MB', (target) =>
    target.together(200, (index) => target.send('PATCH', path(index), { title: 'new' })),
  ),
  wide('200 updates of records of 2 MB, of which nothing is read', async (target) => {
    const body = '{"title":"new"}';
    const head = `Host: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    await target.connections(200, (index) => `PATCH ${path(index)} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    await sleep(6000);
  }),
  wide('200 excerpts of records of 2 MB', (target) =>
    target.together(200, (index) => target.send('GET', path(index, '?fields=html:excerpt(10)'))),
  ),
  wide('200 deletes of records of 2 MB', (target) =>
    target.together(200, (index) => target.send('DELETE', path(index))),
  ),
  wide('3 batches of 30 updates of records of 2 MB', (target) =>
    target.together(3, (batch) =>
      target.send('POST', '/api/batch', {
        requests: Array.from({ length: 30 }, (_, index) => ({
          method: 'PATCH',
          url: path(batch * 30 + index),
          body: { title: 'new' },
        })),
      }),
    ),
  ),
  held('a delete that takes 300 records of 2 MB along', { cascadeDelete: true }, (target) =>
    target.send('DELETE', path(0)),
  ),
  held(
    'a delete that takes 300 records of 2 MB along while somebody listens',
    { cascadeDelete: true },
    async (target) => {
      await target.send('DELETE', path(0));
      await sleep(2000);
    },
    async (target) => {
      const { clientId } = await new EventStream(target.origin).connected;
      await target.send('POST', '/api/realtime', { clientId, subscriptions: ['notes/*'] });
    },
  ),
  held('a delete that clears 300 records of 2 MB', {}, (target) => target.send('DELETE', path(0))),
  held('a truncate of 300 records of 2 MB', {}, (target) =>
    target.send('DELETE', '/api/collections/notes/truncate', undefined, { token: target.token }),
  ),
];
