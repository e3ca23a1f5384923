import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { start } from '../cli/workspace.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

/** Names that are the same for longer than PostgreSQL looks at them. */
const SAME = 'the_same_beginning_of_all_these_names_'.padEnd(80, 'x');
const [AUTHORS, POSTS, VIEW] = [`${SAME}_authors`, `${SAME}_posts_${'y'.repeat(30)}`, `${SAME}_view`] as const;
const [NAME, TITLE, CODE, AUTHOR] = [`${SAME}_name`, `${SAME}_title`, `${SAME}_code`, `${SAME}_author`] as const;
const BY_TITLE = `idx_${SAME}_title`;

describe.skipIf(PostgresCluster.programs === undefined)('names that PostgreSQL cannot have', () => {
  let cluster: PostgresCluster;
  let parent: string;
  let url: string;
  let roost: TestRoost;
  let token: string;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'roost-names-'));
    cluster = await PostgresCluster.start();
    url = await cluster.newDatabase();
    roost = await startRoost({ dir: join(parent, 'data'), config: { DATABASE_URL: url } });
    token = await roost.createSuperuser('root@example.com', 'horse-battery');
    await made('collections', { name: AUTHORS, type: 'base', listRule: '', fields: [{ name: NAME, type: 'text' }] });
    const text = (name: string) => ({ name, type: 'text' });
    await made('collections', {
      name: POSTS,
      type: 'base',
      listRule: '',
      fields: [
        ...[TITLE, CODE, 'xmin', 'ctid'].map(text),
        { name: AUTHOR, type: 'relation', collectionId: await idOf(AUTHORS), maxSelect: 1 },
      ],
      indexes: [
        `CREATE UNIQUE INDEX \`${BY_TITLE}\` ON \`${POSTS}\` (\`${TITLE}\` COLLATE NOCASE)`,
        `CREATE UNIQUE INDEX \`idx_${SAME}_code\` ON \`${POSTS}\` (\`${CODE}\`) WHERE \`${CODE}\` != ''`,
      ],
    });
  });
  afterAll(async () => {
    await roost.close();
    await cluster.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<TestResponse> =>
    roost.inject({ method, url: `/api/${path}`, token, body });
  const get = async (path: string) => (await roost.inject({ url: `/api/${path}`, token })).body;
  async function made(path: string, body: unknown) {
    const answer = await send('POST', path, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body;
  }
  const idOf = async (name: string): Promise<string> => (await get(`collections/${name}`)).id;
  const listOf = (name: string, query: Record<string, string> = {}) =>
    get(`collections/${name}/records?${new URLSearchParams(query).toString()}`);

  async function relations(): Promise<string[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ relname: string }>(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
      );
      return rows.map(({ relname }) => relname);
    } finally {
      await client.end();
    }
  }

  /** Two authors with a post each. */
  async function fill(): Promise<string[]> {
    const ids: string[] = [];
    for (const [name, title] of [
      ['Ann', 'First'],
      ['Bob', 'Second'],
    ]) {
      const author = await made(`collections/${AUTHORS}/records`, { [NAME]: name });
      const body = { [TITLE]: title, [CODE]: `code of ${title}`, xmin: 'mine', ctid: title, [AUTHOR]: author.id };
      const post = await made(`collections/${POSTS}/records`, body);
      expect(post).toMatchObject({ ...body, collectionName: POSTS });
      ids.push(post.id);
    }
    return ids;
  }

  it('COL-172 are those of collections and fields all the same, in filters, sorts, expansions and answers', async () => {
    await fill();
    expect(await get(`collections/${POSTS}`)).toMatchObject({ name: POSTS });
    const filter = `${AUTHOR}.${NAME} = 'Bob' && ${TITLE} ?~ 'sec' && xmin = 'mine' && ctid != 'First'`;
    const found = await listOf(POSTS, { filter, expand: AUTHOR });
    expect(found.items).toMatchObject([
      { [TITLE]: 'Second', [CODE]: 'code of Second', ctid: 'Second', expand: { [AUTHOR]: { [NAME]: 'Bob' } } },
    ]);
    const sorted = await listOf(POSTS, { sort: `-${TITLE},xmin`, fields: `${TITLE},xmin` });
    expect(sorted.items).toEqual([
      { [TITLE]: 'Second', xmin: 'mine' },
      { [TITLE]: 'First', xmin: 'mine' },
    ]);
    const back = `${POSTS}_via_${AUTHOR}`;
    const authors = await listOf(AUTHORS, { filter: `${back}.${TITLE} ?= 'First'`, expand: back, sort: NAME });
    expect(authors.items).toMatchObject([{ [NAME]: 'Ann', expand: { [back]: [{ [TITLE]: 'First' }] } }]);
    expect((await listOf(POSTS, { filter: `@collection.${AUTHORS}.${NAME} ?= 'Ann'` })).totalItems).toBe(2);
  });

  it('COL-172 COL-126 are told where a value is there already', async () => {
    for (const [body, field] of [
      [{ [TITLE]: 'fIRST' }, TITLE],
      [{ [CODE]: 'code of First' }, CODE],
    ] as const) {
      const twice = await send('POST', `collections/${POSTS}/records`, body);
      expect([twice.status, twice.body.data]).toMatchObject([400, { [field]: { code: 'validation_not_unique' } }]);
    }
  });

  it('COL-172 are refused where others have them but for the case of letters, or their place in the database', async () => {
    const again = await send('POST', 'collections', { name: POSTS.toUpperCase(), type: 'base' });
    expect(again.body.data).toMatchObject({ name: { code: 'validation_collection_name_exists' } });
    const index = await send('POST', 'collections', { name: BY_TITLE, type: 'base' });
    expect(index.body.data).toMatchObject({ name: { code: 'validation_collection_name_invalid' } });
  });

  it('COL-172 COL-131 may stand in the query of a view, which has such columns', async () => {
    const [shown, total] = [`${SAME}_shown`, `${SAME}_total`];
    const viewQuery = `WITH ${SAME}_sums(${SAME}_key, ${SAME}_sum) AS (
        SELECT ${AUTHOR}, count(*) FROM ${POSTS} GROUP BY 1
      ) SELECT p.id, p."${TITLE}" AS ${shown}, p.${AUTHOR}, \`${SAME}_s\`.${SAME}_sum AS ${total}, p.xmin
      FROM ${POSTS} p JOIN ${SAME}_sums AS ${SAME}_s ON ${SAME}_s.${SAME}_key = p.${AUTHOR}
      WHERE p.${TITLE} != "a text of more than sixty-three bytes, which many views have in double quotes"`;
    const view = await made('collections', { name: VIEW, type: 'view', listRule: '', viewQuery });
    const names = view.fields.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['id', shown, AUTHOR, total, 'xmin']);
    const { items } = await listOf(VIEW, { filter: `${shown} = 'First'`, sort: total, expand: AUTHOR });
    expect(items).toMatchObject([
      { collectionName: VIEW, [shown]: 'First', [total]: 1, expand: { [AUTHOR]: { [NAME]: 'Ann' } } },
    ]);
    const tried = await send('POST', 'collections/meta/dry-run-view', { query: `SELECT id, ${TITLE} FROM ${POSTS}` });
    expect(tried.body.fields.map(({ name }: { name: string }) => name)).toEqual(['id', TITLE]);
    const wrong = await send('PATCH', `collections/${VIEW}`, { viewQuery: `SELECT id, p.${NAME} FROM ${POSTS} p` });
    expect(wrong.body.data.viewQuery.message).toContain(NAME);
  });

  it('COL-172 OPS-147 may stand in the SQL console, which answers with them', async () => {
    const query = `SELECT ${TITLE}, '${TITLE}' AS "${CODE}" FROM ${POSTS} ORDER BY "${TITLE}"`;
    const { body } = await send('POST', 'sql', { query });
    expect(body.columns.map(({ name }: { name: string }) => name)).toEqual([TITLE, CODE]);
    expect(body.rows).toEqual([
      ['First', TITLE],
      ['Second', TITLE],
    ]);
  });

  it('COL-172 UI-80 are those of tables whose sizes are told', async () => {
    const { sizes } = await get('insights');
    expect(sizes.collections.find(({ name }: { name: string }) => name === POSTS).bytes).toBeGreaterThan(0);
  });

  it('COL-172 SCALE-14 are kept by copies to SQLite and back, and by the next process', async () => {
    const target = await cluster.newDatabase();
    const ways = [
      [{ DATABASE_URL: url }, '--dir=data', '--to=copy'],
      [{}, '--dir=copy', `--to=${target}`],
    ] as const;
    for (const [env, ...args] of ways) {
      const copied = await start(['db', 'copy', '--no-logs', ...args], parent, env).finished();
      expect(copied).toMatchObject({ code: 0, stderr: '' });
      expect(copied.stdout).toContain(`${POSTS}: 2 records`);
      expect(copied.stdout).toMatch(/and 1 views?/);
      expect(copied.stdout).not.toMatch(/belong|left out: /);
    }
    const served = start(['serve', '--http=127.0.0.1:0', '--dir=other'], parent, { DATABASE_URL: target });
    const address = await served.address();
    const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json', authorization: token };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${address}/api/${path}`, init)).json() as Promise<Record<string, unknown>>;
    };
    for (const name of [AUTHORS, POSTS, VIEW]) {
      const { items } = await listOf(name, { sort: 'id' });
      expect(items).toHaveLength(2);
      expect((await ask(`collections/${name}/records?sort=id`)).items).toEqual(items);
    }
    expect(await ask(`collections/${POSTS}/records`, { [TITLE]: 'fIRST' })).toMatchObject({
      data: { [TITLE]: { code: 'validation_not_unique' } },
    });
  });

  it('COL-172 SCALE-14 are those of views that a copy cannot make elsewhere', async () => {
    const name = `${SAME}_only_here`;
    const viewQuery = `SELECT id FROM ${POSTS} WHERE ${TITLE} ILIKE 'f%'`;
    await made('collections', { name, type: 'view', viewQuery });
    const args = ['db', 'copy', '--no-logs', '--dir=data', '--to=refused'];
    const { code, stderr } = await start(args, parent, { DATABASE_URL: url }).finished();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${name}: `) });
    await send('DELETE', `collections/${name}`);
  });

  it('COL-172 SCALE-15 are kept by a backup', async () => {
    await send('POST', 'backups', { name: 'names.zip' });
    const before = (await listOf(VIEW)).items;
    for (const post of (await listOf(POSTS)).items) await send('DELETE', `collections/${POSTS}/records/${post.id}`);
    expect((await send('POST', 'backups/names.zip/restore')).status).toBe(204);
    await expect.poll(async () => (await listOf(VIEW)).items).toEqual(before);
  });

  it('COL-172 COL-117 can be changed, for those of others too, and go with what has them', async () => {
    await send('DELETE', `collections/${VIEW}`);
    const { fields } = await get(`collections/${POSTS}`);
    const renames = new Map([
      [TITLE, CODE],
      [CODE, TITLE],
      ['xmin', `${SAME}_xmin`],
      [AUTHOR, 'cmax'],
    ]);
    const renamed = await send('PATCH', `collections/${POSTS}`, {
      name: `${POSTS}_renamed`,
      fields: fields.map((field: { name: string }) => ({ ...field, name: renames.get(field.name) ?? field.name })),
    });
    expect([renamed.status, renamed.text]).toEqual([200, renamed.text]);
    const filter = `cmax.${NAME} = 'Ann'`;
    expect((await listOf(`${POSTS}_renamed`, { filter, expand: 'cmax' })).items).toMatchObject([
      { [CODE]: 'First', [TITLE]: 'code of First', [`${SAME}_xmin`]: 'mine', expand: { cmax: { [NAME]: 'Ann' } } },
    ]);
    const twice = await send('POST', `collections/${POSTS}_renamed/records`, { [CODE]: 'fIRST' });
    expect(twice.body.data).toMatchObject({ [CODE]: { code: 'validation_not_unique' } });
    expect((await relations()).filter((name) => name.startsWith('the_same'))).not.toEqual([]);
    for (const name of [`${POSTS}_renamed`, AUTHORS])
      expect((await send('DELETE', `collections/${name}`)).status).toBe(204);
    expect((await relations()).filter((name) => /the_same/.test(name))).toEqual([]);
  });
});
