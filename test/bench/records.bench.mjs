import { join } from 'node:path';
import { Measurement } from './measurement.mjs';
import { Database } from './sqlite.mjs';

const PASSWORD = 'bench-password';
const POST = 'post00000000005';
const AUTHOR = 'author000000000';
const relation = (name, collectionId, maxSelect = 1) => ({ name, type: 'relation', collectionId, maxSelect });
const SCHEMA = [
  {
    id: 'bench_perms_001',
    name: 'permissions',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'name', type: 'text' },
      { name: 'active', type: 'bool' },
    ],
  },
  {
    id: 'bench_orgs_0001',
    name: 'organisations',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [{ name: 'name', type: 'text' }],
  },
  {
    id: 'bench_authors_1',
    name: 'authors',
    type: 'auth',
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'name', type: 'text' },
      relation('permissions', 'bench_perms_001', 10),
      relation('organisation', 'bench_orgs_0001'),
    ],
  },
  ...['posts', 'ruled', 'owned'].map((name) => ({
    id: `bench_${name.padEnd(9, '_')}`,
    name,
    type: 'base',
    listRule: name === 'ruled' ? 'author.permissions.active = true' : '',
    viewRule: '',
    createRule: '@request.auth.id != "" && author = @request.auth.id',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'body', type: 'editor' },
      { name: 'views', type: 'number' },
      { name: 'published', type: 'bool' },
      { name: 'tags', type: 'select', values: ['a', 'b', 'c', 'd'], maxSelect: 4 },
      relation('author', 'bench_authors_1'),
    ],
    indexes: [
      `CREATE INDEX idx_${name}_author ON ${name} (author)`,
      `CREATE INDEX idx_${name}_views ON ${name} (views)`,
    ],
  })),
];

/** A blog of 10,000 and of 100,000 posts: what reading and writing it costs beside bare Fastify on the same file. */
export async function run(bench) {
  const { posts: sizes = [10_000, 100_000] } = bench.options;
  for (const posts of sizes) {
    const dir = await prepare(bench, posts);
    const roost = await bench.roost({ dir });
    const bare = await bench.script('./bare-fastify.mjs', [join(dir, 'data.db')]);
    const token = await roost.load.signIn('authors', 'a@example.com', PASSWORD);
    const context = { bench, roost, bare, posts, token };
    await reads(context);
    await coldRead(context);
    await writes(context);
    await roost.stop();
    await bare.stop();
  }
}

/** The first time that a list is asked for which has much to look at. */
async function coldRead({ bench, roost, posts }) {
  let found;
  const measurement = await Measurement.of(roost, async (measurement) => {
    found = (await measurement.time(() => roost.load.call('GET', records('ruled')))).totalItems;
  });
  bench.report.add('list under author.permissions.active = true, cold', measurement, { posts, figures: { found } });
}

async function reads({ bench, roost, bare, posts, token }) {
  const compare = (what, own, { to, baseline, server = roost }) =>
    bench.compare(what, {
      own: () => roost.load.run(own),
      to,
      baseline: () => server.load.run(baseline),
      trials: 1,
      posts,
    });
  const another = (index) => ({
    path: `${records('posts')}?skipTotal=1&filter=${encodeURIComponent(`id != "${index}"`)}`,
  });
  const view = { path: `${records('posts')}/${POST}` };
  const list = { path: `${records('posts')}?skipTotal=1` };
  const filter = encodeURIComponent('views > 10 && views < 90');
  const [total, noTotal] = ['', '&skipTotal=1'].map((end) => ({ path: `${records('posts')}?filter=${filter}${end}` }));
  const fastify = { to: 'bare Fastify', server: bare };
  const expand = { path: `${list.path}&expand=author.permissions` };
  await compare('view one record, public rule', view, { ...fastify, baseline: { path: `/view/${POST}` } });
  await compare('list 30, public rule, skipTotal', list, { ...fastify, baseline: { path: '/list' } });
  await compare('list 30, public rule, skipTotal, each another', another, { ...fastify, baseline: { path: '/list' } });
  await compare('list 30 with total, indexed filter', total, { to: 'skipTotal', baseline: noTotal });
  await compare('list 30 with expand=author.permissions', expand, { to: 'the same without', baseline: list });
  await compare('view one record, signed in', { ...view, token }, { to: 'the same as a guest', baseline: view });
}

async function writes({ bench, roost, bare, posts, token }) {
  const body = JSON.stringify({ title: 'New', body: '<p>Text</p>'.repeat(20), author: AUTHOR, tags: ['a'] });
  const create = { method: 'POST', path: records('owned'), token, body };
  await bench.compare('create, owner rule', {
    own: () => roost.load.run(create),
    to: 'bare Fastify',
    baseline: () => bare.load.run({ ...create, path: '/create' }),
    trials: 2,
    posts,
  });
  await bench.compare('create, 16 writers at once', {
    own: () => roost.load.run(create, { connections: 16 }),
    to: 'one writer',
    baseline: () => roost.load.run(create, { connections: 1 }),
    posts,
  });
}

function records(collection) {
  return `/api/collections/${collection}/records`;
}

/** Imports the schema through the API, then fills the tables directly; the data directory. */
async function prepare(bench, posts) {
  const server = await bench.roost();
  const token = await server.setUp();
  await server.load.call('PUT', '/api/collections/import', { token, body: { collections: SCHEMA } });
  const author = { id: AUTHOR, email: 'a@example.com', password: PASSWORD, passwordConfirm: PASSWORD, name: 'A' };
  await server.load.call('POST', records('authors'), { token, body: author });
  await server.stop();
  fill(join(server.dir, 'data.db'), posts);
  return server.dir;
}

function fill(file, count) {
  const db = new Database(file);
  const now = '2026-01-01 10:00:00.000Z';
  const number = (prefix, index) => prefix + String(index).padStart(15 - prefix.length, '0');
  db.transaction(() => {
    const permission = db.prepare(
      'INSERT INTO permissions (id, name, active, created, updated) VALUES (?, ?, ?, ?, ?)',
    );
    for (let index = 0; index < 20; index++)
      permission.run(number('perm', index), `p${index}`, index % 5 === 0 ? 0 : 1, now, now);
    const author = db.prepare(
      'INSERT INTO authors (id, name, email, password, tokenKey, permissions, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    for (let index = 1; index < 500; index++) {
      const permissions = [index % 20, (index * 7) % 20].map((each) => number('perm', each));
      author.run(
        number('author', index),
        `Author ${index}`,
        `a${index}@example.com`,
        '*',
        number('key', index).repeat(3),
        JSON.stringify(permissions),
        now,
        now,
      );
    }
    for (const table of ['posts', 'ruled']) {
      const post = db.prepare(
        `INSERT INTO ${table} (id, title, body, views, published, tags, author, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (let index = 0; index < count; index++) {
        post.run(
          number('post', index),
          `Post ${index}`,
          '<p>A long text.</p>'.repeat(25),
          index % 100,
          index % 2,
          '["a","b"]',
          number('author', 1 + (index % 499)),
          now,
          now,
        );
      }
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
