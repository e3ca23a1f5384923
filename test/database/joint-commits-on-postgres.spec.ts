import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

/** From so many on a connection knows the statement by a name. */
const OFTEN = 12;

const WAITING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe.skipIf(PostgresCluster.programs === undefined)('creates that arrive together', () => {
  let cluster: PostgresCluster;
  let roost: TestRoost;
  let token: string;
  /** Somebody else who uses the database. */
  let other: pg.Client;
  /** A transaction does not see what others begin to wait for. */
  let watcher: pg.Client;
  let author: string;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    const url = await cluster.newDatabase();
    // What waits for others is not cut off before its test is.
    roost = await startRoost({ config: { DATABASE_URL: url, ROOST_QUERY_TIMEOUT: '600' } });
    token = await roost.createSuperuser();
    await roost.createCollections({
      name: 'authors',
      type: 'base',
      createRule: '',
      fields: [{ name: 'name', type: 'text' }],
    });
    const { id } = (await roost.inject({ url: '/api/collections/authors', token })).body as { id: string };
    await roost.createCollections(
      {
        name: 'notes',
        type: 'base',
        createRule: '',
        fields: [
          { name: 'title', type: 'text' },
          { name: 'body', type: 'text', max: 50_000 },
          { name: 'author', type: 'relation', collectionId: id },
        ],
        indexes: ['CREATE INDEX idx_notes_body ON notes (body)'],
      },
      {
        name: 'codes',
        type: 'base',
        createRule: '',
        fields: [{ name: 'code', type: 'text' }],
        indexes: ['CREATE UNIQUE INDEX idx_codes_code ON codes (code)'],
      },
    );
    author = await newAuthor();
    // All connections are used, and so get to know the statements.
    for (let time = 0; time < OFTEN; time++) {
      await createAll('notes', times(20, { title: 'known', author }));
      await createAll('notes', times(20, { title: 'known' }));
      await createAll(
        'codes',
        times(20, {}).map((_, at) => ({ code: `known ${time} ${at}` })),
      );
    }
    [other, watcher] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await Promise.all([other.connect(), watcher.connect()]);
  });
  afterAll(async () => {
    await Promise.all([other.end(), watcher.end()]);
    await roost.close();
    await cluster.stop();
  });

  afterEach(() => other.query('ROLLBACK'));

  const create = (collection: string, body: object): Promise<TestResponse> =>
    roost.inject({ method: 'POST', url: `/api/collections/${collection}/records`, body });
  const newAuthor = async (): Promise<string> => (await create('authors', {})).body.id as string;
  const createAll = async (collection: string, bodies: object[]): Promise<number[]> =>
    (await Promise.all(bodies.map((body) => create(collection, body)))).map(({ status }) => status);
  const times = (count: number, body: object): object[] => Array.from({ length: count }, () => body);
  const stored = async (title: string): Promise<{ rows: number; transactions: number }> => {
    const columns = 'count(*)::int AS rows, count(DISTINCT xmin::text)::int AS transactions';
    return (await other.query(`SELECT ${columns} FROM notes WHERE title = $1`, [title])).rows[0];
  };
  /** How many processes of the server wait for what somebody else holds. */
  const waiting = async (): Promise<number> => (await watcher.query(WAITING)).rows.length;

  it('SCALE-19 are stored in few transactions of the server', async () => {
    expect(await createAll('notes', times(20, { title: 'together', author }))).toEqual(Array(20).fill(200));
    // One, unless a machine that does other things as well lets them arrive in two turns of the event loop, or three.
    const { rows, transactions } = await stored('together');
    expect(rows).toBe(20);
    expect(transactions).toBeLessThan(5);
  });

  it('SCALE-17 are all stored but for the one that the server refuses', async () => {
    const refused = { title: 'refused', body: randomBytes(10_000).toString('hex') };
    const statuses = await createAll('notes', [
      ...times(5, { title: 'beside' }),
      refused,
      ...times(5, { title: 'beside' }),
    ]);
    expect(statuses).toEqual([...Array(5).fill(200), 400, ...Array(5).fill(200)]);
    expect([(await stored('beside')).rows, (await stored('refused')).rows]).toEqual([10, 0]);
  });

  it('SCALE-16 are all stored but for the one that refers to nobody', async () => {
    const lonely = { title: 'lonely', author: 'nobody000000000' };
    const statuses = await createAll('notes', [lonely, ...times(5, { title: 'in company', author })]);
    expect(statuses).toEqual([400, ...Array(5).fill(200)]);
    expect([(await stored('in company')).rows, (await stored('lonely')).rows]).toEqual([5, 0]);
  });

  it.each([
    ['COMMIT', 400],
    ['ROLLBACK', 200],
  ])('OPS-39 do not wait with the one that refers to what is being deleted, until its %s', async (end, status) => {
    const removed = await newAuthor();
    await other.query('BEGIN');
    await other.query('DELETE FROM authors WHERE id = $1', [removed]);
    const held = create('notes', { title: 'held', author: removed });
    expect(await createAll('notes', times(5, { author }))).toEqual(Array(5).fill(200));
    await expect.poll(waiting).toBe(1);
    await other.query(end);
    expect((await held).status).toBe(status);
  });

  it('OPS-39 do not wait with the one whose value somebody else is about to take', async () => {
    await other.query('BEGIN');
    await other.query("INSERT INTO codes (id, code) VALUES ('somebody0000000', 'wanted')");
    const held = create('codes', { code: 'wanted' });
    expect(await createAll('codes', [{ code: 'one' }, { code: 'two' }, { code: 'three' }])).toEqual([200, 200, 200]);
    await expect.poll(waiting).toBe(1);
    await other.query('COMMIT');
    const { status, body } = await held;
    expect([status, body.data.code.code]).toEqual([400, 'validation_not_unique']);
  });

  it('SCALE-18 are told when the connection ends before they are stored', async () => {
    await other.query('BEGIN');
    await other.query('LOCK TABLE notes IN EXCLUSIVE MODE');
    const all = createAll('notes', times(5, { title: 'cut off' }));
    await expect.poll(waiting).toBeGreaterThan(0);
    await watcher.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS held`);
    expect(await all).toEqual(Array(5).fill(503));
    await other.query('ROLLBACK');
    expect((await stored('cut off')).rows).toBe(0);
    expect(await createAll('notes', times(5, { title: 'afterwards' }))).toEqual(Array(5).fill(200));
  });

  it('SCALE-23 go by the definitions that hold when they are stored', async () => {
    const url = '/api/collections/notes';
    const { fields } = (await roost.inject({ url, token })).body as { fields: { name: string }[] };
    const statuses = new Set<number>();
    let isOver = false;
    const writers = Array.from({ length: 10 }, async () => {
      while (!isOver) statuses.add((await create('notes', { title: 'while they change', author })).status);
    });
    for (let time = 0; time < 6; time++) {
      const changed = time % 2 === 0 ? [...fields, { name: 'extra', type: 'number' }] : fields;
      expect((await roost.inject({ method: 'PATCH', url, token, body: { fields: changed } })).status).toBe(200);
    }
    isOver = true;
    await Promise.all(writers);
    expect([...statuses]).toEqual([200]);
  });
});
