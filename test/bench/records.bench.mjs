import Database from 'better-sqlite3';
import { join } from 'node:path';

const PASSWORD = 'bench-password';
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
  for (const count of [10_000, 100_000]) {
    console.log(`${count.toLocaleString('en')} posts`);
    const dir = bench.tempDir();
    await prepare(bench, dir, count);
    const roost = await bench.roost(dir);
    const bare = await bench.script('./bare-fastify.mjs', [join(dir, 'data.db')]);
    await reads(bench, roost, bare, count);
    if (count === 100_000) await heavyReads(bench, roost);
    await writes(bench, roost, bare);
    bench.report('memory after all of it', { MiB: roost.memory() });
    await roost.stop();
    await bare.stop();
  }
}

async function reads(bench, roost, bare, count) {
  const records = `${roost.origin}/api/collections/posts/records`;
  const id = 'post00000000005';
  const view = await bench.compare({
    own: () => bench.load(`${records}/${id}`),
    baseline: () => bench.load(`${bare.origin}/view/${id}`),
  });
  bench.report('view one record, public rule', ratio(view));
  const list = await bench.compare({
    own: () => bench.load(`${records}?skipTotal=1`),
    baseline: () => bench.load(`${bare.origin}/list`),
  });
  bench.report('list 30, public rule, skipTotal', ratio(list));
  const filter = encodeURIComponent('views > 10 && views < 90');
  const totals = await bench.compare({
    own: () => bench.load(`${records}?filter=${filter}`),
    baseline: () => bench.load(`${records}?filter=${filter}&skipTotal=1`),
  });
  bench.report('list 30 with total, indexed filter, to skipTotal', ratio(totals));
  const expand = await bench.compare({
    own: () => bench.load(`${records}?skipTotal=1&expand=author.permissions`),
    baseline: () => bench.load(`${records}?skipTotal=1`),
  });
  bench.report('list 30 with expand=author.permissions, to without', ratio(expand));
  const token = await signIn(roost.origin);
  const signedIn = await bench.compare({
    own: () => bench.load(`${records}/${id}`, { headers: { authorization: token } }),
    baseline: () => bench.load(`${records}/${id}`),
  });
  bench.report('view one record signed in, to as a guest', ratio(signedIn));
  void count;
}

async function heavyReads(bench, roost) {
  const started = performance.now();
  const response = await fetch(`${roost.origin}/api/collections/ruled/records`);
  const { totalItems } = await response.json();
  bench.report('list under author.permissions.active = true, cold', {
    ms: performance.now() - started,
    found: totalItems,
  });
}

async function writes(bench, roost, bare) {
  const token = await signIn(roost.origin);
  const headers = { 'content-type': 'application/json', authorization: token };
  const body = JSON.stringify({ title: 'New', body: '<p>Text</p>'.repeat(20), author: 'author000000000', tags: ['a'] });
  const post = { method: 'POST', headers, body };
  const own = `${roost.origin}/api/collections/owned/records`;
  const created = await bench.compare({
    own: () => bench.load(own, post),
    baseline: () => bench.load(`${bare.origin}/create`, post),
  });
  bench.report('create, owner rule', ratio(created));
  const writers = await bench.compare({
    own: () => bench.load(own, { ...post, connections: 16 }),
    baseline: () => bench.load(own, { ...post, connections: 1 }),
  });
  bench.report('16 concurrent writers, to one', ratio(writers));
}

function ratio({ own, baseline }) {
  return { ratio: own.rate / baseline.rate, 'req/s': own.rate, p50: own.p50, p99: own.p99, errors: own.errors };
}

async function signIn(origin) {
  const response = await fetch(`${origin}/api/collections/authors/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity: 'a@example.com', password: PASSWORD }),
  });
  return (await response.json()).token;
}

/** Imports the schema through the API, then fills the tables directly. */
async function prepare(bench, dir, count) {
  bench.command(dir, 'superuser', 'upsert', 'root@example.com', PASSWORD);
  const server = await bench.roost(dir);
  const call = async (method, path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) };
    const response = await fetch(server.origin + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  };
  const { token } = await call('POST', '/api/collections/_superusers/auth-with-password', {
    identity: 'root@example.com',
    password: PASSWORD,
  });
  await call('PUT', '/api/collections/import', { collections: SCHEMA }, token);
  await call(
    'POST',
    '/api/collections/authors/records',
    { id: 'author000000000', email: 'a@example.com', password: PASSWORD, passwordConfirm: PASSWORD, name: 'A' },
    token,
  );
  await server.stop();
  fill(join(dir, 'data.db'), count);
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
