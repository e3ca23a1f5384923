import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

describe.skipIf(PostgresCluster.programs === undefined)('casts with :: on PostgreSQL', () => {
  let cluster: PostgresCluster;
  let roost: TestRoost;
  let token: string;
  let tokenKey: string;
  let views = 0;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    roost = await startRoost({ config: { DATABASE_URL: await cluster.newDatabase() } });
    token = await roost.createSuperuser();
    await roost.createCollections({
      name: 'things',
      type: 'base',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'size', type: 'number' },
        { name: 'secret', type: 'text', hidden: true },
        { name: 'data', type: 'json' },
        { name: 'e', type: 'text' },
      ],
    });
    const body = { title: '12.50', size: 2.7, secret: 'hush-hush', data: { k: ['v'], n: 3 }, e: 'plain' };
    expect((await send('POST', 'collections/things/records', body)).status).toBe(200);
    const account = { email: 'ann@example.com', password: '1234567890', passwordConfirm: '1234567890' };
    expect((await send('POST', 'collections/users/records', account)).status).toBe(200);
    const { body: rows } = await send('POST', 'sql', { query: 'SELECT "tokenKey" FROM users' });
    [[tokenKey]] = rows.rows;
  });
  afterAll(async () => {
    await roost.close();
    await cluster.stop();
  });

  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<TestResponse> =>
    roost.inject({ method, url: `/api/${path}`, token, body });

  /** What a view with this query is made of, and what a guest and a superuser see of its records. */
  async function shownBy(viewQuery: string) {
    const name = `view_${++views}`;
    const made = await send('POST', 'collections', { name, type: 'view', listRule: '', viewQuery });
    expect([made.status, made.text]).toEqual([200, made.text]);
    const url = `/api/collections/${name}/records`;
    const [guest, superuser] = [await roost.inject({ url }), await roost.inject({ url, token })];
    return { fields: made.body.fields as Record<string, unknown>[], guest, superuser };
  }

  it.each([
    ['title::text', { type: 'text' }, '12.50'],
    ['(title)::numeric(10,2)', { type: 'number' }, 12.5],
    ['title::numeric::int', { type: 'number', onlyInt: true }, 13],
    ['t.size :: INTEGER', { type: 'number', onlyInt: true }, 3],
    ['size::double precision', { type: 'json' }, 2.7],
    [`things.data::jsonb->>'k'`, { type: 'json' }, '["v"]'],
    [`(data->>'n')::int`, { type: 'number', onlyInt: true }, 3],
    [`count(*) FILTER (WHERE size > 1) OVER ()::int`, { type: 'number', onlyInt: true }, 1],
    [`CASE WHEN size::int > 2 THEN 'a' ELSE 'b' END::text`, { type: 'text' }, 'a'],
    [`size::int::text || '!'`, { type: 'text' }, '3!'],
    [`title || size::int`, { type: 'text' }, '12.503'],
    [`-size::int`, { type: 'json' }, -3],
    [`(SELECT s.title FROM (SELECT title::varchar(3) FROM things) s)`, { type: 'json' }, '12.'],
    [`(SELECT s.title FROM (SELECT title::text, secret::text FROM things) s)`, { type: 'text' }, '12.50'],
    [`('{a,"b c"}'::text[])::text`, { type: 'text' }, '{a,"b c"}'],
    [`'2024-01-02 03:04:05'::timestamp(0) with time zone::date::text`, { type: 'text' }, '2024-01-02'],
    [`'users'::regclass::text`, { type: 'text' }, 'users'],
  ])('COL-172 COL-133 has the type and value of %s', async (expression, field, value) => {
    const t = expression.startsWith('t.') ? ' t' : '';
    const { fields, guest } = await shownBy(`SELECT id, ${expression} AS shown FROM things${t}`);
    expect(fields[1]).toMatchObject({ name: 'shown', hidden: false, ...field });
    expect(guest.body.items).toMatchObject([{ shown: value }]);
  });

  it('COL-172 COL-133 has the name of the column where it has no other', async () => {
    const { fields, guest } = await shownBy('SELECT id::text, title::text, size::int whole FROM things');
    expect(fields.map(({ name }) => name)).toEqual(['id', 'title', 'whole']);
    expect(guest.body.items).toMatchObject([{ title: '12.50', whole: 3 }]);
  });

  it('COL-172 may stand in an index, whose values are unique then', async () => {
    const indexes = [`CREATE UNIQUE INDEX idx_things_size ON things ((size::int), (title::text)) WHERE size::int <> 0`];
    expect((await send('PATCH', 'collections/things', { indexes })).status).toBe(200);
    const twice = await send('POST', 'collections/things/records', { title: '12.50', size: 3.1 });
    expect(twice.body.data).toMatchObject({ size: { code: 'validation_not_unique' }, title: expect.anything() });
    expect((await send('PATCH', 'collections/things', { indexes: [] })).status).toBe(200);
  });

  it.each([
    'title::pg_catalog.text',
    'title::"text"',
    'title::numeric(size)',
    'title::text[size]',
    'title::',
    'title:::text',
    'title::users.tokenKey%TYPE',
  ])('COL-172 COL-131 refuses %s, which is more than a type', async (expression) => {
    const viewQuery = `SELECT id, ${expression} AS shown FROM things`;
    const { status, body } = await send('POST', 'collections', { name: 'refused', type: 'view', viewQuery });
    expect([status, Object.keys(body.data)]).toEqual([400, ['viewQuery']]);
    const indexes = [`CREATE INDEX idx_refused ON things ((${expression}))`];
    const index = await send('PATCH', 'collections/things', { indexes });
    expect([index.status, Object.keys(index.body.data)]).toEqual([400, ['indexes']]);
  });

  it.each([
    'u."tokenKey"::text',
    '(u."tokenKey")::varchar(100)',
    'u."tokenKey"::text::varchar::char(100)::text',
    `('x' || u."tokenKey"::text)`,
    'u::text',
    '(u::users)."tokenKey"',
    'to_jsonb(u::users)::text',
    `(to_jsonb(u)->>'tokenKey')::text`,
    'ARRAY(SELECT "tokenKey"::text FROM users)::text',
    '(SELECT s."tokenKey" FROM (SELECT "tokenKey"::text FROM users) s)',
    '(SELECT s.other FROM (SELECT "tokenKey"::text other FROM users) s)',
    '(SELECT s."tokenKey" FROM (SELECT "tokenKey"::character varying FROM users) s)',
    '(WITH w(a) AS (SELECT "tokenKey"::text FROM users) SELECT a::text FROM w)',
    `query_to_xml('SELECT "tokenKey" FROM users', true, false, '')::text`,
    `table_to_xml('users'::regclass, true, false, '')::text`,
    `(SELECT string_agg(word, ' ') FROM ts_stat('SELECT to_tsvector("tokenKey") FROM users'))`,
  ])('COL-172 COL-134 AUTH-607 shows nobody %s', async (expression) => {
    const query = `SELECT u.id, ${expression} AS shown, 'seen'::text AS beside FROM users u`;
    const { fields, guest, superuser } = await shownBy(query);
    expect(fields[1]).toMatchObject({ name: 'shown', hidden: true });
    expect(guest.body.items).toEqual([expect.objectContaining({ beside: 'seen' })]);
    expect(guest.body.items[0]).not.toHaveProperty('shown');
    for (const { text } of [guest, superuser]) expect(text.toLowerCase()).not.toContain(tokenKey.toLowerCase());
  });

  it('COL-172 COL-134 hides from guests what a cast of a hidden field gives, and shows superusers that', async () => {
    const { guest, superuser } = await shownBy('SELECT id, secret::text AS shown, e::text FROM things');
    expect(guest.body.items[0]).not.toHaveProperty('shown');
    expect(superuser.body.items).toMatchObject([{ shown: 'hush-hush', e: 'plain' }]);
  });

  it.each([
    ['a comment in a comment', `(/* /* */ ' */ secret /* ' */)`],
    ['a comment that ends within a line', `'a' -- \r || secret \n`],
    ['a text with an escaped quote', `(SELECT E'\\'' || secret || '' /*'*/ )`],
  ])('COL-134 refuses %s, in which PostgreSQL would read what nobody sees', async (_, expression) => {
    const viewQuery = `SELECT id, ${expression} AS shown FROM things`;
    const { status, body } = await send('POST', 'collections', { name: 'refused', type: 'view', viewQuery });
    expect([status, Object.keys(body.data)]).toEqual([400, ['viewQuery']]);
    const tried = await send('POST', 'collections/meta/dry-run-view', { query: viewQuery });
    expect(tried.status).toBe(400);
    const indexes = [`CREATE INDEX idx_refused ON things ((${expression.replace('SELECT', '')}))`];
    expect((await send('PATCH', 'collections/things', { indexes })).status).toBe(400);
  });

  it.each(['int', 'regclass', 'regtype', 'jsonb', 'date', 'text[]'])(
    'COL-134 AUTH-607 tells no value that is no %s',
    async (type) => {
      // In front of it a digit is a number, and a letter the beginning of a name.
      for (const first of ['a', '1 ']) {
        const query = `SELECT id, ('${first}' || "tokenKey")::${type} AS shown FROM users`;
        const tried = await send('POST', 'collections/meta/dry-run-view', { query });
        expect([tried.status, tried.text.toLowerCase()]).toEqual([
          400,
          expect.not.stringContaining(tokenKey.toLowerCase()),
        ]);
      }
      const { indexes } = (await roost.inject({ url: '/api/collections/users', token })).body;
      const more = [...indexes, `CREATE INDEX idx_users_cast ON users ((lower("tokenKey")::${type}))`];
      const index = await send('PATCH', 'collections/users', { indexes: more });
      expect([index.status, index.text.toLowerCase()]).toEqual([
        400,
        expect.not.stringContaining(tokenKey.toLowerCase()),
      ]);
    },
  );
});

it('COL-172 COL-131 are refused by SQLite itself', async () => {
  const roost = await startRoost({ config: { DATABASE_URL: '' } });
  try {
    const token = await roost.createSuperuser();
    const send = (body: object) => roost.inject({ method: 'POST', url: '/api/collections', token, body });
    const view = await send({ name: 'casts', type: 'view', viewQuery: 'SELECT id, name::text AS shown FROM users' });
    expect([view.status, Object.keys(view.body.data)]).toEqual([400, ['viewQuery']]);
    const fields = [{ name: 'a', type: 'text' }];
    const indexes = ['CREATE INDEX idx_casts ON casts ((a::text))'];
    const index = await send({ name: 'casts', type: 'base', fields, indexes });
    expect([index.status, Object.keys(index.body.data)]).toEqual([400, ['indexes']]);
  } finally {
    await roost.close();
  }
});
