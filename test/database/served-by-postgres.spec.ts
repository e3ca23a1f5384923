import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataDirectoryError } from '../../src/database/data-directory.error.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

const POSTS = {
  name: 'posts',
  type: 'base',
  listRule: '',
  viewRule: '',
  fields: [
    { name: 'title', type: 'text' },
    { name: 'views', type: 'number' },
    { name: 'author', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
  ],
};

describe.skipIf(PostgresCluster.programs === undefined)('an application on PostgreSQL', () => {
  let cluster: PostgresCluster;
  let parent: string;
  let url: string;
  let roost: TestRoost;
  let token: string;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'roost-on-postgres-'));
    cluster = await PostgresCluster.start();
    url = await cluster.newDatabase();
    roost = await start();
    token = await roost.createSuperuser();
    await roost.createCollections(POSTS);
  });
  afterAll(async () => {
    await roost.close();
    await cluster.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  const start = (address = url, name = 'data') =>
    startRoost({ dir: join(parent, name), config: { DATABASE_URL: address } });
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<TestResponse> =>
    roost.inject({ method, url: `/api/${path}`, token, body });
  const get = (path: string): Promise<TestResponse> => roost.inject({ url: `/api/${path}`, token });
  const posts = 'collections/posts/records';

  it('COL-134 AUTH-607 shows no secret of a row that is read as a whole', async () => {
    await send('POST', 'collections/users/records', {
      email: 'row@x.io',
      password: 'row12345',
      passwordConfirm: 'row12345',
    });
    const expressions = [
      'to_jsonb(u)',
      'u.to_jsonb',
      'CAST(row_to_json(u) AS text)',
      'CAST(u AS text)',
      '(u)."tokenKey"',
      '"tokenKey"(u)',
    ];
    const columns = expressions.map((expression, at) => `${expression} AS c${at}`).join(', ');
    const made = await send('POST', 'collections', {
      name: 'rows',
      type: 'view',
      listRule: '',
      viewQuery: `SELECT u.id, u.name, ${columns}, (SELECT count(*) FROM users o) AS total FROM users u`,
    });
    expect([made.status, made.text]).toEqual([200, made.text]);
    for (const as of [undefined, token]) {
      const { body } = await roost.inject({ url: '/api/collections/rows/records', token: as });
      expect(Object.keys(body.items[0]).sort()).toEqual(['collectionId', 'collectionName', 'id', 'name', 'total']);
    }
    const samples = 'SELECT (ROW_NUMBER() OVER ()) AS id, CAST(most_common_vals AS text) AS sample FROM pg_stats';
    await send('POST', 'collections', { name: 'samples', type: 'view', listRule: '', viewQuery: samples });
    const { items } = (await roost.inject({ url: '/api/collections/samples/records?perPage=1' })).body;
    expect(Object.keys(items[0]).sort()).toEqual(['collectionId', 'collectionName', 'id']);
    for (const name of ['samples', 'rows']) await send('DELETE', `collections/${name}`);
    const [{ id }] = (await get("collections/users/records?filter=email='row@x.io'")).body.items;
    await send('DELETE', `collections/users/records/${id}`);
  });

  it('UI-80 SCALE-10 tells how large collections are and which statements took longest', async () => {
    await send('POST', 'collections', {
      name: 'naps',
      type: 'view',
      viewQuery: "SELECT id, CAST(pg_sleep(0.3) AS text) AS nap, 'never' AS word FROM posts",
    });
    await send('POST', posts, { title: 'asleep' });
    expect((await get(`collections/naps/records?filter=${encodeURIComponent("word != 'unheard'")}`)).status).toBe(200);
    const { sizes, statements } = (await get('insights')).body;
    expect(sizes.database).toBeGreaterThan(1_000_000);
    expect(sizes.logs).toBeGreaterThan(0);
    expect(sizes.collections.find(({ name }: { name: string }) => name === 'posts').bytes).toBeGreaterThan(0);
    const slow = statements.find(({ sql }: { sql: string }) => sql.includes('naps'));
    expect(slow).toMatchObject({ runs: expect.any(Number), slowest: expect.any(Number) });
    expect(JSON.stringify(statements)).not.toContain('unheard');
    await send('DELETE', 'collections/naps');
    await send('DELETE', `${posts}/${(await get(posts)).body.items[0].id}`);
  });

  it('SCALE-10 serves collections, records, batches and realtime, without a database file', async () => {
    const listener = await Listener.to(roost, ['posts/*']);
    const author = (
      await send('POST', 'collections/users/records', {
        email: 'ann@x.io',
        password: 'ann12345',
        passwordConfirm: 'ann12345',
      })
    ).body.id;
    const made = await send('POST', posts, { title: 'first', views: 3, author });
    expect(made.body).toMatchObject({ title: 'first', views: 3, author });
    const requests = ['second', 'third'].map((title) => ({ method: 'POST', url: `/api/${posts}`, body: { title } }));
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch: { enabled: true } } });
    expect((await send('POST', 'batch', { requests })).status).toBe(200);
    expect((await send('PATCH', `${posts}/${made.body.id}`, { 'views+': 2 })).body.views).toBe(5);
    const list = await get(`${posts}?filter=${encodeURIComponent("views > 1 && author.email ~ 'ANN'")}&expand=author`);
    expect(list.body).toMatchObject({ totalItems: 1, items: [{ title: 'first', expand: { author: { id: author } } }] });
    const sorted = await get(`${posts}?sort=-title&fields=title`);
    expect(sorted.body.items.map((item: { title: string }) => item.title)).toEqual(['third', 'second', 'first']);
    expect((await send('DELETE', `${posts}/${made.body.id}`)).status).toBe(204);
    const messages = await listener.receive(5);
    expect(messages.map(({ action, record }) => [action, record.title])).toEqual([
      ['create', 'first'],
      ['create', 'second'],
      ['create', 'third'],
      ['update', 'first'],
      ['delete', 'first'],
    ]);
    expect([existsSync(join(roost.dir, 'data.db')), existsSync(join(roost.dir, 'auxiliary.db'))]).toEqual([
      false,
      false,
    ]);
  });

  describe('its collections', () => {
    const kinds = 'collections/kinds/records';
    /** What the server says of itself. */
    const ask = async <Row>(sql: string): Promise<Row[]> => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      return rows as Row[];
    };
    const columns = async (table: string) => {
      const rows = await ask<{ name: string; type: string }>(
        `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = '${table}'`,
      );
      return Object.fromEntries(rows.map(({ name, type }) => [name, type]));
    };
    const SELECT = { type: 'select', values: ['a', 'b', 'c'] };

    beforeAll(async () => {
      const related = { type: 'relation', collectionId: '_pb_users_auth_' };
      await roost.createCollections({
        name: 'kinds',
        type: 'base',
        fields: [
          ...['text', 'editor', 'email', 'url', 'date', 'number', 'bool', 'json', 'geoPoint'].map((type) => ({
            name: `a_${type}`,
            type,
          })),
          { name: 'one', ...SELECT, maxSelect: 1 },
          { name: 'some', ...SELECT, maxSelect: 3 },
          { name: 'doc', type: 'file', maxSelect: 1 },
          { name: 'docs', type: 'file', maxSelect: 3 },
          { name: 'author', ...related, maxSelect: 1 },
          { name: 'authors', ...related, maxSelect: 3 },
        ],
        indexes: [
          'CREATE UNIQUE INDEX idx_kinds_text ON kinds (a_text COLLATE NOCASE)',
          'CREATE INDEX idx_kinds_sum ON kinds ((CAST(a_number AS numeric) + 1))',
        ],
      });
    });
    afterAll(() => send('DELETE', 'collections/kinds'));

    it('COL-172 have columns that fit their fields', async () => {
      const text = ['a_text', 'a_editor', 'a_email', 'a_url', 'a_date', 'one', 'doc', 'author', 'id', 'created'];
      const json = ['a_json', 'a_geoPoint', 'some', 'docs', 'authors'];
      expect(await columns('kinds')).toEqual({
        ...Object.fromEntries([...text, 'updated'].map((name) => [name, 'text'])),
        ...Object.fromEntries(json.map((name) => [name, 'jsonb'])),
        a_number: 'double precision',
        a_bool: 'boolean',
        _rowid_: 'bigint',
      });
      expect(await columns('users')).toMatchObject({ password: 'text', tokenKey: 'text', verified: 'boolean' });
    });

    it('COL-172 have indexes that ignore letter case, and expressions and views in its own words', async () => {
      const indexes = await ask<{ sql: string }>(
        "SELECT indexdef AS sql FROM pg_indexes WHERE indexname LIKE 'idx_kinds_%' ORDER BY indexname DESC",
      );
      expect(indexes.map(({ sql }) => sql)).toEqual([
        expect.stringContaining('(lower((a_text COLLATE "C")))'),
        expect.stringContaining('(a_number)::numeric + '),
      ]);
      expect((await send('POST', kinds, { a_text: 'Word' })).status).toBe(200);
      const twice = await send('POST', kinds, { a_text: 'wORD' });
      expect([twice.status, twice.body.data.a_text.code]).toEqual([400, 'validation_not_unique']);
      const viewQuery =
        "SELECT id, a_text || '!' AS loud, CAST(a_number AS int) AS whole FROM kinds WHERE a_text ILIKE 'w%'";
      expect((await send('POST', 'collections', { name: 'loud_kinds', type: 'view', viewQuery })).status).toBe(200);
      const { items } = (await get('collections/loud_kinds/records')).body;
      expect(items).toMatchObject([{ loud: 'Word!', whole: 0 }]);
      await send('DELETE', 'collections/loud_kinds');
    });

    it('COL-172 COL-113 make a value a list of it, and a list its last item', async () => {
      const { id } = (await send('POST', kinds, { a_text: 'turned', one: 'a', some: ['c', 'b'] })).body;
      const { fields } = (await get('collections/kinds')).body as { fields: { name: string }[] };
      const turned = fields.map((field) => {
        if (field.name === 'one') return { ...field, maxSelect: 3 };
        return field.name === 'some' ? { ...field, maxSelect: 1 } : field;
      });
      expect((await send('PATCH', 'collections/kinds', { fields: turned })).status).toBe(200);
      expect((await get(`${kinds}/${id}`)).body).toMatchObject({ one: ['a'], some: 'b' });
      expect(await columns('kinds')).toMatchObject({ one: 'jsonb', some: 'text' });
      expect((await send('PATCH', 'collections/kinds', { fields })).status).toBe(200);
      expect((await get(`${kinds}/${id}`)).body).toMatchObject({ one: 'a', some: ['b'] });
    });

    it.each([
      ['KINDS', 'validation_collection_name_exists'],
      ['pg_class', 'validation_collection_name_invalid'],
      ['pg_stats', 'validation_collection_name_invalid'],
      ['pg_class_oid_index', 'validation_collection_name_invalid'],
    ])('COL-172 COL-23 are not called %s, which is a name that is taken', async (name, code) => {
      for (const more of [{ type: 'base' }, { type: 'view', viewQuery: 'SELECT id FROM kinds' }]) {
        const made = await send('POST', 'collections', { name, ...more });
        expect([made.status, made.body.data]).toMatchObject([400, { name: { code } }]);
      }
    });

    it('COL-172 may have names that mean something else in SQL', async () => {
      const names = ['user', 'order', 'Table', 'offset', 'current_user', 'oid'];
      for (const name of ['select', 'user', 'oid']) {
        const fields = names.map((field) => ({ name: field, type: 'text' }));
        expect((await send('POST', 'collections', { name, type: 'base', fields })).status).toBe(200);
        const body = Object.fromEntries(names.map((field) => [field, `${field} of ${name}`]));
        expect((await send('POST', `collections/${name}/records`, body)).body).toMatchObject(body);
        const filter = encodeURIComponent(names.map((field) => `${field} = '${field} of ${name}'`).join(' && '));
        const list = await get(`collections/${name}/records?filter=${filter}&sort=${names.join(',')}`);
        expect(list.body.items).toMatchObject([body]);
        expect((await send('DELETE', `collections/${name}`)).status).toBe(204);
      }
    });
  });

  it('SCALE-10 finds everything again after a restart, its log too', async () => {
    const before = (await get(`${posts}?sort=title`)).body.items;
    await expect.poll(async () => (await get('logs')).body.totalItems).toBeGreaterThan(0);
    const logged = (await get('logs')).body.totalItems;
    await roost.close();
    roost = await start();
    expect((await get(`${posts}?sort=title`)).body.items).toEqual(before);
    expect((await get('logs')).body.totalItems).toBeGreaterThanOrEqual(logged);
  });

  it('OPS-175 hears of what another process on the same database has changed', async () => {
    const other = await start(url, 'beside');
    try {
      const ann = await other.app.get(RecordsService, { strict: false }).create('_superusers', {
        email: 'ann@example.com',
        password: '1234567890',
      });
      const anns = await other.signIn('_superusers', 'ann@example.com');
      expect((await roost.inject({ url: '/api/settings', token: anns })).status).toBe(200);
      await other.createCollections({ name: 'made_elsewhere', type: 'base', listRule: '' });
      await expect.poll(async () => (await get('collections/made_elsewhere/records')).status).toBe(200);
      await other.app.get(RecordsService, { strict: false }).update('_superusers', ann.id, { password: '0987654321' });
      await expect.poll(async () => (await roost.inject({ url: '/api/settings', token: anns })).status).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('SCALE-18 answers 503 while the database is away, and all is well when it is back', async () => {
    await cluster.pause();
    const away = await get(posts);
    expect([away.status, away.body.data, away.headers['retry-after']]).toEqual([503, {}, '2']);
    expect((await send('POST', posts, { title: 'lost' })).status).toBe(503);
    await expect.poll(async () => (await get('health')).status).toBe(503);
    await cluster.resume();
    await expect.poll(async () => (await get('health')).status).toBe(200);
    expect((await send('POST', posts, { title: 'back' })).status).toBe(200);
    expect((await get(`${posts}?filter=${encodeURIComponent("title = 'lost'")}`)).body.totalItems).toBe(0);
  });

  it('SCALE-18 answers 200 or 503 while it is restarted under load, and loses nothing that it has said was stored', async () => {
    const answers: TestResponse[] = [];
    let isOver = false;
    const clients = Array.from({ length: 16 }, async (_, client) => {
      for (let index = 0; !isOver; index++) {
        const isWrite = index % 2 === 0;
        const answer = isWrite ? await send('POST', posts, { title: `load ${client} ${index}` }) : await get(posts);
        if (isWrite || answer.status !== 200) answers.push(answer);
        if (answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    const some = (status: number, count: number) =>
      expect.poll(() => answers.filter((answer) => answer.status === status).length).toBeGreaterThan(count);
    await some(200, 50);
    await cluster.pause();
    await some(503, 50);
    await cluster.resume();
    const before = answers.length;
    await expect.poll(() => answers.slice(before).filter(({ status }) => status === 200).length).toBeGreaterThan(100);
    isOver = true;
    await Promise.all(clients);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const refused = answers.filter(({ status }) => status === 503);
    expect(new Set(refused.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['2']));
    const stored = new Set<string>();
    for (let page = 1, size = 1; size > 0; page++) {
      const { items } = (await get(`${posts}?perPage=500&page=${page}&fields=id&sort=id`)).body as {
        items: { id: string }[];
      };
      size = items.length;
      for (const { id } of items) stored.add(id);
    }
    const lost = answers.filter(({ status, body }) => status === 200 && !stored.has(body.id as string));
    expect(lost).toEqual([]);
  });

  it('SCALE-18 answers writes 503 while it only reads, and goes on when that is over', async () => {
    const name = new URL(url).pathname.slice(1);
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
    await cluster.administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await cluster.administer(cut);
    await expect.poll(async () => (await get(posts)).status).toBe(200);
    const answers = [
      await send('POST', posts, { title: 'refused' }),
      await send('POST', 'batch', { requests: [{ method: 'POST', url: `/api/${posts}`, body: { title: 'refused' } }] }),
      await send('PATCH', 'settings', { meta: { appName: 'refused' } }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array.from({ length: 3 }, () => [503, '2']),
    );
    expect((await get(posts)).status).toBe(200);
    // Nobody ends its connections: they are given up one after the other.
    await cluster.administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expect.poll(async () => (await send('POST', posts, { title: 'written' })).status).toBe(200);
    expect((await get(`${posts}?filter=${encodeURIComponent("title = 'refused'")}`)).body.totalItems).toBe(0);
  });

  it('OPS-145 OPS-39 is healthy while more want a connection than get one in two seconds', async () => {
    const busy = await startRoost({ dir: join(parent, 'busy'), config: { DATABASE_URL: url, DATABASE_POOL: '2' } });
    const asked = { method: 'POST', url: '/api/sql', token, body: { query: 'SELECT pg_sleep(1.5)' } } as const;
    const scripts = Promise.all(Array.from({ length: 6 }, () => busy.inject(asked)));
    let isOver = false;
    void scripts.finally(() => (isOver = true));
    const found: number[] = [];
    while (!isOver) {
      found.push((await busy.inject({ url: '/api/health' })).status);
      await sleep(100);
    }
    await busy.close();
    expect((await scripts).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    expect(found.length).toBeGreaterThan(5);
    expect(new Set(found)).toEqual(new Set([200]));
  });

  it('SCALE-18 is not healthy while it only reads, and is again when that is over', async () => {
    const health = async () => {
      const { status, body } = await get('health');
      return [status, body.message];
    };
    const told = async (sql: string) => {
      await cluster.administer(sql);
      await cluster.administer('SELECT pg_reload_conf()');
    };
    const well = [200, 'API is healthy.'];
    expect(await health()).toEqual(well);
    try {
      await told('ALTER SYSTEM SET default_transaction_read_only = on');
      await expect.poll(health).toEqual([503, 'The database only reads and takes no changes.']);
      expect((await get(posts)).status).toBe(200);
    } finally {
      await told('ALTER SYSTEM RESET default_transaction_read_only');
    }
    await expect.poll(health).toEqual(well);
    expect((await send('POST', posts, { title: 'written again' })).status).toBe(200);
  });

  it('SCALE-18 answers writes 503 while its disk is full', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
    await client.query('CREATE TRIGGER full_disk BEFORE INSERT ON posts EXECUTE FUNCTION full_disk()');
    const answer = await send('POST', posts, { title: 'too much' });
    expect([answer.status, answer.body.data, answer.headers['retry-after']]).toEqual([503, {}, '2']);
    expect(answer.text).not.toContain('device');
    expect((await get(posts)).status).toBe(200);
    await client.query('DROP TRIGGER full_disk ON posts');
    await client.end();
    expect((await send('POST', posts, { title: 'fits' })).status).toBe(200);
  });

  it('OPS-147 its console gives large integers with all their digits, and counts rows that were changed', async () => {
    const large = await send('POST', 'sql', { query: 'SELECT 9007199254740993 AS n, true AS yes' });
    expect(large.body).toMatchObject({ rows: [['9007199254740993', 't']], affectedRows: 0 });
    expect((await send('POST', 'sql', { query: "UPDATE posts SET views = 1; SELECT 'x'" })).body.affectedRows).toBe(0);
    const count = (await get(`${posts}?perPage=1`)).body.totalItems as number;
    expect((await send('POST', 'sql', { query: 'UPDATE posts SET views = 2' })).body.affectedRows).toBe(count);
  });

  describe('that cannot be used', () => {
    const refusal = async (address: string): Promise<string> => {
      const error: unknown = await start(address, 'never').then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(DataDirectoryError);
      expect(existsSync(join(parent, 'never'))).toBe(false);
      return (error as Error).message;
    };
    const administer = async (address: string, ...statements: string[]): Promise<void> => {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      for (const sql of statements) await client.query(sql);
      await client.end();
    };

    it.each([
      ['nobody is there', (address: string) => address.replace(/:\d+\//, ':1/'), /cannot be used: .*ECONNREFUSED/],
      ['there is no such database', (address: string) => address.replace(/[^/]+$/, 'nowhere'), /does not exist/],
      ['there is no such role', (address: string) => address.replace('roost@', 'eve:horse@'), /"eve" does not exist/],
      ['it does not speak TLS', (address: string) => `${address}?sslmode=verify-full`, /SSL/],
    ])('SCALE-18 is told in one line when %s, and leaves nothing', async (_name, change, reason) => {
      const message = await refusal(change(url));
      expect(message).toMatch(reason);
      expect(message).not.toMatch(/\n|horse/);
    });

    it('SCALE-18 is refused with the tables of another program, and as it was', async () => {
      const address = await cluster.newDatabase();
      await administer(address, 'CREATE TABLE theirs (id int)');
      expect(await refusal(address)).toMatch(/has tables of another program/);
      await administer(address, 'DROP TABLE theirs');
    });

    it('SCALE-18 is refused to a role that may not create tables', async () => {
      const address = await cluster.newDatabase();
      await administer(address, 'CREATE ROLE weak LOGIN', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
      expect(await refusal(address.replace('roost@', 'weak@'))).toMatch(/may not create tables in the schema public/);
    });

    it('OPS-181 is refused when a newer version made it', async () => {
      const address = await cluster.newDatabase();
      const first = await start(address, 'first');
      await first.close();
      const values = "(1999999999999, 'FromTheFuture1999999999999')";
      await administer(address, `INSERT INTO _system_migrations ("timestamp", name) VALUES ${values}`);
      await expect(start(address, 'first')).rejects.toThrow(/newer version; this one does not know FromTheFuture/);
    });
  });
});
