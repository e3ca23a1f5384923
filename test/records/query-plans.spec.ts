import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { SqlValue } from '../../src/kernel/fields/field-type.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

const MANY = 300;

const COLLECTIONS = [
  {
    id: 'plan_writers_01',
    name: 'writers',
    type: 'auth',
    listRule: '',
    viewRule: '',
    fields: [{ name: 'name', type: 'text' }],
  },
  {
    id: 'plan_topics_001',
    name: 'topics',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [{ name: 'label', type: 'text' }],
  },
  {
    id: 'plan_posts_0001',
    name: 'posts',
    type: 'base',
    listRule: '@request.auth.id != "" && author = @request.auth.id',
    viewRule: '@request.auth.id != "" && author = @request.auth.id',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'slug', type: 'text' },
      { name: 'status', type: 'select', values: ['draft', 'open'], maxSelect: 1 },
      { name: 'rank', type: 'number' },
      { name: 'due', type: 'date' },
      { name: 'author', type: 'relation', collectionId: 'plan_writers_01', maxSelect: 1 },
      { name: 'topic', type: 'relation', collectionId: 'plan_topics_001', maxSelect: 1 },
      { name: 'topics', type: 'relation', collectionId: 'plan_topics_001', maxSelect: 5 },
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
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'text', type: 'text' },
      { name: 'post', type: 'relation', collectionId: 'plan_posts_0001', maxSelect: 1 },
    ],
    indexes: ['CREATE INDEX comments_by_post ON comments (post)'],
  },
  {
    id: 'plan_members_01',
    name: 'members',
    type: 'base',
    fields: [
      { name: 'writer', type: 'relation', collectionId: 'plan_writers_01', maxSelect: 1 },
      { name: 'topic', type: 'relation', collectionId: 'plan_topics_001', maxSelect: 1 },
    ],
    indexes: ['CREATE INDEX members_by_writer ON members (writer)'],
  },
  {
    id: 'plan_plain_0001',
    name: 'plain',
    type: 'base',
    listRule: 'owner = @request.auth.id',
    fields: [{ name: 'owner', type: 'relation', collectionId: 'plan_writers_01', maxSelect: 1 }],
  },
  {
    id: 'plan_either_001',
    name: 'either',
    type: 'base',
    listRule: 'published = true || owner = @request.auth.id',
    fields: [
      { name: 'published', type: 'bool' },
      { name: 'owner', type: 'relation', collectionId: 'plan_writers_01', maxSelect: 1 },
    ],
    indexes: ['CREATE INDEX either_public ON either (published)', 'CREATE INDEX either_own ON either (owner)'],
  },
  {
    id: 'plan_rooms_0001',
    name: 'rooms',
    type: 'base',
    listRule: '@collection.members.writer ?= @request.auth.id && @collection.members.topic ?= topic',
    fields: [{ name: 'topic', type: 'relation', collectionId: 'plan_topics_001', maxSelect: 1 }],
  },
];

interface PlanStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** What the database says it will do, statement by statement, for the statements a request really ran. */
describe('query plans of usual lists', () => {
  let roost: TestRoost;
  let database: Database;
  let superuser: string;
  let ann: string;
  let topic: string;
  let post: string;

  beforeAll(async () => {
    roost = await startRoost();
    superuser = await roost.createSuperuser();
    await roost.createCollections(...COLLECTIONS);
    const records = roost.app.get(RecordsService, { strict: false });
    await records.transaction(async () => {
      const author = await records.create('writers', { email: 'ann@example.com', password: '1234567890' });
      topic = (await records.create('topics', { label: 'news' })).id;
      for (let rank = 1; rank <= MANY; rank++) {
        const own = rank % 2 ? author.id : '';
        const values = {
          title: `T${rank}`,
          slug: `s${rank}`,
          status: 'open',
          rank,
          author: own,
          topic,
          topics: [topic],
        };
        post = (await records.create('posts', values)).id;
        await records.create('comments', { text: 'hello', post });
        await records.create('plain', { owner: own });
        await records.create('either', { published: true, owner: own });
        await records.create('rooms', { topic });
      }
      await records.create('members', { writer: author.id, topic });
      // The last one is its author's.
      await records.update('posts', post, { author: author.id });
    });
    ann = await roost.signIn('writers', 'ann@example.com');
    // The accounts are remembered from here on, so that the queries for them are in no plan.
    for (const token of [ann, superuser]) await roost.inject({ url: '/api/collections/topics/records', token });
    database = roost.app.get(Database, { strict: false });
  });

  afterAll(() => roost.close());

  /** The plans of what a call ran, each once: of what is read and of the total, which often are the same. */
  const plansOf = async (call: () => Promise<{ status: number; text: string }>): Promise<string> => {
    const seen = watchReads(database);
    const response = await call();
    if (response.status !== 200) throw new Error(response.text);
    vi.restoreAllMocks();
    const plans = new Map<string, Set<string>>();
    for (const { sql, params } of seen) {
      const plan = await explain(sql, params);
      const reader = sql.includes('AS "total"') ? 'total' : 'rows';
      plans.set(plan, (plans.get(plan) ?? new Set()).add(reader));
    }
    return `\n${[...plans].map(([plan, of]) => `${[...of].join(', ')}\n${plan}\n`).join('')}`;
  };

  const explain = async (sql: string, params: readonly SqlValue[]): Promise<string> => {
    const steps = await database.all<PlanStep>({ sql: `EXPLAIN QUERY PLAN ${sql}`, params });
    const depths = new Map([[0, 0]]);
    const lines = steps.map(({ id, parent, detail }) => {
      const depth = depths.get(parent)! + 1;
      depths.set(id, depth);
      return '  '.repeat(depth) + detail;
    });
    return lines.join('\n');
  };

  const listed = (collection: string, query: Readonly<Record<string, string>>, token: string) =>
    plansOf(() => new RecordApi(roost, token).list(collection, { perPage: '5', ...query }));

  it('SQL-3 a plain list reads in order of insertion, or of an index when it is sorted by one', async () => {
    expect(await listed('posts', {}, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SCAN posts
      total
        SCAN posts USING COVERING INDEX posts_by_lower_title
      "
    `);
    expect(await listed('posts', { sort: '-created', skipTotal: '1' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        CO-ROUTINE found rows
          SCAN posts USING COVERING INDEX posts_by_created
          USE TEMP B-TREE FOR LAST TERM OF ORDER BY
        SCAN found rows
        SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)
        USE TEMP B-TREE FOR ORDER BY
      "
    `);
    expect(await listed('posts', { sort: 'created', skipTotal: '1' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SCAN posts USING INDEX posts_by_created
      "
    `);
  });

  it('OPS-39 behind the first page of what no index has in order, numbers of rows are sorted and not the rows', async () => {
    const sorted = { sort: '-title', skipTotal: '1' };
    expect(await listed('posts', sorted, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SCAN posts
        USE TEMP B-TREE FOR ORDER BY
      "
    `);
    expect(await listed('posts', { ...sorted, page: '2' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        CO-ROUTINE found rows
          SCAN posts
          USE TEMP B-TREE FOR ORDER BY
        SCAN found rows
        SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)
        USE TEMP B-TREE FOR ORDER BY
      "
    `);
    expect(await listed('posts', { skipTotal: '1', page: '2' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SCAN posts
      "
    `);
  });

  it.each([
    'status = "open"',
    '"open" = status',
    'status = ""',
    'status = null',
    'status = "open" || status = "draft"',
    'rank > 5 && rank < 200',
    'due >= @todayStart && due <= @todayEnd',
    'id = "a" || id = "b"',
    'title:lower = "t5"',
  ])('SQL-3 a filter on an indexed column uses the index: %s', async (filter) => {
    expect(await listed('posts', { filter, skipTotal: '1' }, superuser)).toContain('  SEARCH posts USING INDEX ');
  });

  it('SQL-3 the total of a filter on an indexed column reads the index alone', async () => {
    expect(await listed('posts', { filter: 'status = "open"' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SEARCH posts USING INDEX posts_by_status (status=?)
      total
        SEARCH posts USING COVERING INDEX posts_by_status (status=?)
      "
    `);
  });

  it('SQL-3 an index that leaves out empty values is used', async () => {
    expect(await listed('posts', { filter: 'slug = "s7"' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SEARCH posts USING INDEX posts_by_slug (slug=?)
      "
    `);
    expect(await listed('writers', { filter: 'email = "ann@example.com"' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SEARCH writers USING INDEX idx_email_plan_writers_01 (email=?)
      "
    `);
    const body = { identity: 'ann@example.com', password: '1234567890' };
    const signIn = () => roost.inject({ url: '/api/collections/writers/auth-with-password', body });
    expect(await plansOf(signIn)).toContain('SEARCH writers USING INDEX idx_email_plan_writers_01 (email=?)');
  });

  it('SQL-3 the rule of an owner uses the index of the relation', async () => {
    expect(await listed('posts', {}, ann)).toMatchInlineSnapshot(`
      "
      rows
        SEARCH posts USING INDEX posts_by_author (author=?)
      total
        SEARCH posts USING COVERING INDEX posts_by_author (author=?)
      "
    `);
    expect(await listed('posts', { sort: '-created', skipTotal: '1' }, ann)).toMatchInlineSnapshot(`
      "
      rows
        CO-ROUTINE found rows
          SEARCH posts USING INDEX posts_by_author (author=?)
          USE TEMP B-TREE FOR ORDER BY
        SCAN found rows
        SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)
        USE TEMP B-TREE FOR ORDER BY
      "
    `);
    expect(await listed('plain', { sort: '-created' }, ann)).toMatchInlineSnapshot(`
      "
      rows
        SCAN plain
        USE TEMP B-TREE FOR ORDER BY
      total
        SCAN plain
      "
    `);
    expect(await listed('either', {}, ann)).toMatchInlineSnapshot(`
      "
      rows
        MULTI-INDEX OR
          INDEX 1
            SEARCH either USING INDEX either_public (published=?)
          INDEX 2
            SEARCH either USING INDEX either_own (owner=?)
        USE TEMP B-TREE FOR ORDER BY
      total
        MULTI-INDEX OR
          INDEX 1
            SEARCH either USING INDEX either_public (published=?)
          INDEX 2
            SEARCH either USING INDEX either_own (owner=?)
      "
    `);
  });

  it('SQL-3 REF-6 the id of a single relation needs no join', async () => {
    const filter = `topic.id = "${topic}"`;
    expect(await listed('posts', { filter, sort: '-created' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        CO-ROUTINE found rows
          SEARCH posts USING COVERING INDEX posts_by_topic (topic=?)
          USE TEMP B-TREE FOR LAST TERM OF ORDER BY
        SCAN found rows
        SEARCH posts USING INTEGER PRIMARY KEY (rowid=?)
        USE TEMP B-TREE FOR ORDER BY
      total
        SEARCH posts USING COVERING INDEX posts_by_topic (topic=?)
      "
    `);
  });

  it('SQL-3 what a condition demands of the record itself uses its index, whatever is demanded of related ones', async () => {
    const filter = 'status = "open" && (topic.label = "news" || topics.label ?= "news")';
    expect(await listed('posts', { filter }, superuser)).toMatchInlineSnapshot(`
      "
      rows, total
        SEARCH posts USING INDEX posts_by_status (status=?)
        CORRELATED SCALAR SUBQUERY 2
          CO-ROUTINE row 4
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX sqlite_autoindex_topics_1 (id=?)
          SCAN row 4
        CORRELATED SCALAR SUBQUERY 5
          CO-ROUTINE row 5
            SCAN CONSTANT ROW
          SEARCH row 2 USING INDEX sqlite_autoindex_topics_1 (id=?)
          CORRELATED LIST SUBQUERY 4
            SCAN item 3 VIRTUAL TABLE INDEX 1:
          SCAN row 5
      "
    `);
  });

  it('SQL-3 SQL-4 related records are found by their ids, without repeating a record', async () => {
    expect(await listed('posts', { filter: 'topic.label = "news"' }, superuser)).toMatchInlineSnapshot(`
      "
      rows
        SCAN posts
        CORRELATED SCALAR SUBQUERY 2
          CO-ROUTINE row 2
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX sqlite_autoindex_topics_1 (id=?)
          SCAN row 2
      total
        CO-ROUTINE posts
          SCAN posts USING COVERING INDEX posts_by_topic
        SCAN posts
        CORRELATED SCALAR SUBQUERY 3
          CO-ROUTINE row 2
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX sqlite_autoindex_topics_1 (id=?)
          SCAN row 2
      "
    `);
    expect(await listed('posts', { filter: 'topics.label ?= "news"' }, ann)).toMatchInlineSnapshot(`
      "
      rows, total
        SEARCH posts USING INDEX posts_by_author (author=?)
        CORRELATED SCALAR SUBQUERY 3
          CO-ROUTINE row 3
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX sqlite_autoindex_topics_1 (id=?)
          CORRELATED LIST SUBQUERY 2
            SCAN item 2 VIRTUAL TABLE INDEX 1:
          SCAN row 3
      "
    `);
    expect(await listed('posts', { filter: 'comments_via_post.text = "hello"' }, ann)).toMatchInlineSnapshot(`
      "
      rows, total
        SEARCH posts USING INDEX posts_by_author (author=?)
        CORRELATED SCALAR SUBQUERY 3
          CO-ROUTINE row 4
            SCAN CONSTANT ROW
          SEARCH row 3 USING INDEX comments_by_post (post=?)
          SCAN row 4
        CORRELATED SCALAR SUBQUERY 5
          CO-ROUTINE row 5
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX comments_by_post (post=?)
          SCAN row 5
      "
    `);
    expect(await listed('rooms', {}, ann)).toMatchInlineSnapshot(`
      "
      rows
        SCAN rooms
        CORRELATED SCALAR SUBQUERY 2
          CO-ROUTINE row 2
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX members_by_writer (writer=?)
          SCAN row 2
      total
        CO-ROUTINE rooms
          SCAN rooms
          USE TEMP B-TREE FOR GROUP BY
        SCAN rooms
        CORRELATED SCALAR SUBQUERY 3
          CO-ROUTINE row 2
            SCAN CONSTANT ROW
          SEARCH row 1 USING INDEX members_by_writer (writer=?)
          SCAN row 2
      "
    `);
  });

  it('SQL-3 EXP-11 a record is viewed, and related ones are read, by id', async () => {
    const view = (token: string, query = {}) => plansOf(() => new RecordApi(roost, token).view('posts', post, query));
    expect(await view(superuser)).toMatchInlineSnapshot(`
      "
      rows
        SEARCH posts USING INDEX sqlite_autoindex_posts_1 (id=?)
      "
    `);
    expect(await view(ann)).toMatchInlineSnapshot(`
      "
      rows
        SEARCH posts USING INDEX sqlite_autoindex_posts_1 (id=?)
      "
    `);
    expect(await view(superuser, { expand: 'topics,comments_via_post' })).toMatchInlineSnapshot(`
      "
      rows
        SEARCH posts USING INDEX sqlite_autoindex_posts_1 (id=?)
      rows
        SEARCH topics USING INDEX sqlite_autoindex_topics_1 (id=?)
      rows
        CO-ROUTINE the child
          CO-ROUTINE (subquery-4)
            SEARCH comments USING INDEX comments_by_post (post=?)
            LIST SUBQUERY 1
              SCAN the id VIRTUAL TABLE INDEX 1:
          SCAN (subquery-4)
        SCAN the child
        SEARCH comments USING INDEX sqlite_autoindex_comments_1 (id=?)
        USE TEMP B-TREE FOR ORDER BY
      "
    `);
  });
});
