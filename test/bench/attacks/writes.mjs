// Writes that take many rows along.
import { fill, indexed, notes, posts } from '../attack-collections.mjs';
import { id, records } from '../attack-target.mjs';

const wide = {
  ...posts,
  fields: [
    { name: 'title', type: 'text' },
    { name: 'n', type: 'number' },
    { name: 'doc', type: 'json' },
  ],
};

export const attacks = [
  {
    name: 'a delete with a cascade of 100,000',
    collections: [posts, { ...notes({ cascadeDelete: true }), ...indexed }],
    rows: (db) => {
      fill(db, 1, { title: () => 'x' });
      fill(db, 100_000, { post: () => id(0) }, 'notes');
    },
    run: (target) => target.send('DELETE', `${records('posts')}/${id(0)}`),
  },
  {
    name: 'a truncate of 100,000',
    collections: [posts],
    rows: (db) => fill(db, 100_000, { title: (index) => `Post ${index}` }),
    run: (target) => target.send('DELETE', '/api/collections/posts/truncate', undefined, { token: target.token }),
  },
  {
    name: 'a delete of what 1,000,000 could refer to without an index',
    collections: [posts, notes()],
    rows: (db) => {
      fill(db, 2, { title: () => 'x' });
      fill(db, 1_000_000, { post: () => id(1) }, 'notes');
    },
    run: (target) => target.send('DELETE', `${records('posts')}/${id(0)}`),
  },
  {
    name: 'a new index and a unique one over 500,000 records',
    collections: [posts],
    rows: (db) => fill(db, 500_000, { title: (index) => `Post ${index}` }),
    run: (target) =>
      target.send(
        'PATCH',
        '/api/collections/posts',
        {
          indexes: [
            'CREATE UNIQUE INDEX idx_posts_title ON posts (title)',
            'CREATE INDEX idx_posts_all ON posts (updated, title)',
          ],
        },
        { token: target.token },
      ),
  },
  {
    name: 'a field turned from number to list over 500,000 records',
    collections: [
      { ...posts, fields: [{ id: 'selectkind', name: 'kind', type: 'select', values: ['a', 'b'], maxSelect: 1 }] },
    ],
    rows: (db) => fill(db, 500_000, { kind: (index) => 'ab'[index % 2] }),
    run: (target) =>
      target.send(
        'PATCH',
        '/api/collections/posts',
        { fields: [{ id: 'selectkind', name: 'kind', type: 'select', values: ['a', 'b'], maxSelect: 2 }] },
        { token: target.token },
      ),
  },
  {
    name: 'a batch of 50 creates with documents of 500 KB',
    collections: [wide],
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    prepare: () => {
      const doc = Array.from({ length: 60_000 }, (_, index) => index);
      const one = { method: 'POST', url: records('posts'), body: { title: 'x', n: 1, doc } };
      return JSON.stringify({ requests: Array.from({ length: 50 }, () => one) });
    },
    run: (target, body) => target.send('POST', '/api/batch', body),
  },
  {
    name: 'a backup of 500,000 records',
    collections: [posts],
    rows: (db) => fill(db, 500_000, { title: (index) => `Post ${index}` }),
    run: (target) => target.send('POST', '/api/backups', { name: 'a.zip' }, { token: target.token }),
  },
  {
    name: '20 backups asked for at once',
    run: (target) =>
      target.together(20, (index) =>
        target.send('POST', '/api/backups', { name: `b${index}.zip` }, { token: target.token }),
      ),
  },
  {
    name: '20 deletes of what 30 accounts hold in lists of 50,000',
    collections: [
      posts,
      {
        id: 'bench_members_1',
        name: 'members',
        type: 'auth',
        fields: [{ name: 'likes', type: 'relation', collectionId: posts.id, maxSelect: 50_000 }],
      },
    ],
    rows: (db) => {
      fill(db, 20, { title: () => 'x' });
      const likes = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => id(index)));
      fill(
        db,
        30,
        {
          email: (index) => `a${index}@example.com`,
          tokenKey: (index) => String(index).padStart(50, '0'),
          password: () => '',
          verified: () => 0,
          emailVisibility: () => 0,
          likes: () => likes,
        },
        'members',
      );
    },
    run: (target) => target.together(20, (index) => target.send('DELETE', `${records('posts')}/${id(index)}`)),
  },
  {
    name: '20 creates of documents of 4 MB at once',
    collections: [{ ...wide, fields: [{ name: 'doc', type: 'json', maxSize: 5_000_000 }] }],
    run: (target) => {
      const doc = Array.from({ length: 130_000 }, (_, index) => ({ number: index, is: 'some text' }));
      const body = JSON.stringify({ doc });
      return target.together(20, () => target.send('POST', records('posts'), body));
    },
  },
];
