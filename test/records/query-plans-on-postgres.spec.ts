import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

const POSTS = 20_000;

/** What the server says it will do, for the statements a request really ran, on tables of a usual size. */
describe.skipIf(PostgresCluster.programs === undefined)('query plans of usual lists on PostgreSQL', () => {
  let cluster: PostgresCluster;
  let roost: TestRoost;
  let database: Database;
  let superuser: string;
  let ann: string;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    roost = await startRoost({ config: { DATABASE_URL: await cluster.newDatabase() } });
    superuser = await roost.createSuperuser();
    database = roost.app.get(Database, { strict: false });
    const open = { listRule: '', viewRule: '' };
    const writer = { type: 'relation', collectionId: 'plan_writers_01' };
    await roost.createCollections(
      { id: 'plan_writers_01', name: 'writers', type: 'auth', ...open, fields: [{ name: 'name', type: 'text' }] },
      { id: 'plan_topics_001', name: 'topics', type: 'base', ...open, fields: [{ name: 'label', type: 'text' }] },
      {
        id: 'plan_posts_0001',
        name: 'posts',
        type: 'base',
        listRule: 'author = @request.auth.id',
        viewRule: 'author = @request.auth.id',
        fields: [
          { name: 'title', type: 'text' },
          { name: 'slug', type: 'text' },
          { name: 'status', type: 'select', values: ['draft', 'open'], maxSelect: 1 },
          { name: 'rank', type: 'number' },
          { name: 'due', type: 'date' },
          { name: 'author', ...writer, maxSelect: 1 },
          { name: 'topic', type: 'relation', collectionId: 'plan_topics_001', maxSelect: 1 },
        ],
        indexes: [
          'CREATE INDEX posts_by_author ON posts (author)',
          'CREATE INDEX posts_by_status ON posts (status)',
          'CREATE INDEX posts_by_rank ON posts (rank)',
          'CREATE INDEX posts_by_due ON posts (due)',
          'CREATE INDEX posts_by_created ON posts (created)',
          'CREATE INDEX posts_by_topic ON posts (topic, created)',
          "CREATE UNIQUE INDEX posts_by_slug ON posts (slug) WHERE slug != ''",
          'CREATE INDEX posts_by_lower_title ON posts (LOWER(title))',
        ],
      },
      {
        id: 'plan_comments_1',
        name: 'comments',
        type: 'base',
        ...open,
        fields: [
          { name: 'post', type: 'relation', collectionId: 'plan_posts_0001', maxSelect: 1 },
          { name: 'related', type: 'relation', collectionId: 'plan_posts_0001', maxSelect: 5 },
        ],
        indexes: ['CREATE INDEX comments_by_post ON comments (post)'],
      },
    );
    await fill();
    ann = await roost.signIn('writers', 'w7@example.com');
    // The accounts are remembered from here on, so that the queries for them are in no plan.
    for (const token of [ann, superuser]) await roost.inject({ url: '/api/collections/topics/records', token });
  });
  afterAll(async () => {
    await roost.close();
    await cluster.stop();
  });

  async function fill(): Promise<void> {
    const id = (letter: string, number: string): string => `'${letter}' || lpad((${number})::text, 14, '0')`;
    const each = (count: number): string => `FROM generate_series(1, ${count}) AS n`;
    const statements = [
      `INSERT INTO writers (id, email, "tokenKey", password)
        SELECT ${id('w', 'n')}, 'w' || n || '@example.com', repeat(n::text, 30), '*' ${each(500)}`,
      `INSERT INTO topics (id, label) SELECT ${id('t', 'n')}, 'topic ' || n ${each(500)}`,
      `INSERT INTO posts (id, title, slug, status, rank, due, created, author, topic)
        SELECT ${id('p', 'n')}, 'T' || n, 's' || n, CASE WHEN n % 100 = 0 THEN 'draft' ELSE 'open' END, n,
          to_char(timestamp '2026-01-01' + n * interval '1 hour', 'YYYY-MM-DD HH24:MI:SS.MS"Z"'),
          to_char(timestamp '2026-01-01' + n * interval '1 minute', 'YYYY-MM-DD HH24:MI:SS.MS"Z"'),
          ${id('w', 'n % 500 + 1')}, ${id('t', 'n % 500 + 1')} ${each(POSTS)}`,
      `INSERT INTO comments (id, post, related)
        SELECT ${id('c', 'n')}, ${id('p', `n % ${POSTS} + 1`)}, jsonb_build_array(${id('p', `n % ${POSTS} + 1`)}) ${each(POSTS)}`,
      'ANALYZE',
    ];
    for (const sql of statements) await database.run({ sql, params: [] });
  }

  /** The plans of what a call ran, one after the other. */
  async function plansOf(call: () => Promise<TestResponse>): Promise<string> {
    const seen = watchReads(database);
    const response = await call();
    vi.restoreAllMocks();
    if (response.status !== 200) throw new Error(response.text);
    const plans: string[] = [];
    for (const { sql, params } of seen) {
      const rows = await database.all<Record<string, string>>({ sql: `EXPLAIN (COSTS OFF) ${sql}`, params });
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans.join('\n');
  }

  const listed = (collection: string, query: Readonly<Record<string, string>>, token = superuser): Promise<string> =>
    plansOf(() =>
      roost.inject({
        url: `/api/collections/${collection}/records?${new URLSearchParams({ perPage: '5', ...query })}`,
        token,
      }),
    );
  const record = (collection: string, id: string, query = '', token = superuser): Promise<string> =>
    plansOf(() => roost.inject({ url: `/api/collections/${collection}/records/${id}${query}`, token }));

  it.each([
    ['in order of insertion', {}, /Index Scan using "?posts__rowid__key/],
    ['by an index it is sorted by', { sort: 'created' }, /Index Scan using posts_by_created/],
    ['by an index it is sorted by, backwards', { sort: '-created' }, /Index Scan Backward using posts_by_created/],
  ])('SQL-3 a plain list reads %s', async (_name, query, plan) => {
    const plans = await listed('posts', { skipTotal: '1', ...(query as Record<string, string>) });
    expect(plans).toMatch(plan);
    expect(plans).not.toContain('Seq Scan');
  });

  it.each([
    ['status = "draft"', 'posts_by_status'],
    ['"draft" = status', 'posts_by_status'],
    ['rank > 5 && rank < 200', 'posts_by_rank'],
    ['due >= "2026-02-01 00:00:00.000Z" && due <= "2026-02-02 00:00:00.000Z"', 'posts_by_due'],
    ['id = "p00000000000001" || id = "p00000000000002"', 'posts_pkey'],
    ['title:lower = "t5"', 'posts_by_lower_title'],
    ['slug = "s7"', 'posts_by_slug'],
    ['topic.id = "t00000000000007"', 'posts_by_topic'],
    ['author = "w00000000000007" && topic.label != "x"', 'posts_by_author'],
  ])('SQL-3 a filter on an indexed column uses the index: %s', async (filter, index) => {
    const plans = await listed('posts', { filter });
    expect(plans).toContain(index);
    expect(plans).not.toContain('Seq Scan on posts');
  });

  it('SQL-3 the rule of an owner uses the index of the relation, for its total too', async () => {
    for (const sort of ['@rowid', '-created']) {
      const plans = await listed('posts', { sort }, ann);
      expect(plans).toContain('posts_by_author');
      expect(plans).not.toContain('Seq Scan on posts');
    }
  });

  it('SQL-3 SCALE-19 what is related to few records is found from those, and not asked of each record', async () => {
    const plans = await listed('posts', { filter: 'topic.label = "topic 7"', skipTotal: '1' });
    expect(plans).toContain('posts_by_topic');
    expect(plans).not.toContain('SubPlan');
    expect(plans).not.toContain('Seq Scan on posts');
  });

  it('SQL-3 SCALE-19 records in a list of relations are looked up by their ids', async () => {
    const plans = await listed('comments', { filter: 'related.rank ?> 7', skipTotal: '1' });
    expect(plans).toContain('posts_pkey');
    expect(plans).not.toContain('Seq Scan on posts');
  });

  it('SQL-3 EXP-11 a record is viewed, and related ones are read, by id', async () => {
    const plans = await record('posts', 'p00000000000006', '?expand=author,comments_via_post', ann);
    for (const index of ['posts_pkey', 'writers_pkey', 'comments_pkey']) expect(plans).toContain(index);
    expect(plans).not.toMatch(/Seq Scan on (posts|writers)/);
  });

  it('AUTH-403 an account is found by its address through the index', async () => {
    const body = { identity: 'w9@example.com', password: 'wrong password' };
    const seen = watchReads(database);
    await roost.inject({ url: '/api/collections/writers/auth-with-password', body });
    vi.restoreAllMocks();
    const [found] = seen.filter(({ sql }) => sql.includes('"email"') && sql.includes('WHERE'));
    const plan = await database.all<Record<string, string>>({
      sql: `EXPLAIN (COSTS OFF) ${found!.sql}`,
      params: found!.params,
    });
    expect(JSON.stringify(plan)).toContain('idx_email_');
  });
});
