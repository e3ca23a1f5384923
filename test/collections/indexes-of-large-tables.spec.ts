import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestRoost } from '../../src/testing/index.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

const ROWS = 12_000;

/** What is built while others write; on SQLite there is one writer, who builds. */
describe.skipIf(PostgresCluster.programs === undefined)('indexes of large tables on PostgreSQL', () => {
  let cluster: PostgresCluster;
  let url: string;
  let roost: TestRoost;
  let token: string;
  /** Somebody else, who holds things up. */
  let other: pg.Client;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.stop());

  beforeEach(async () => {
    url = await cluster.newDatabase();
    roost = await startRoost({ config: { DATABASE_URL: url } });
    token = await roost.createSuperuser();
    const fields = [{ name: 'title', type: 'text' }];
    await roost.createCollections({ name: 'posts', type: 'base', listRule: '', createRule: '', fields });
    other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(
      `INSERT INTO posts (id, title) SELECT 'p' || lpad(n::text, 14, '0'), 'T' || n FROM generate_series(1, ${ROWS}) AS n`,
    );
    await other.query('ANALYZE posts');
  });
  afterEach(async () => {
    await other.end();
    await roost.close();
  });

  const change = (body: object) => roost.inject({ method: 'PATCH', url: '/api/collections/posts', token, body });
  const create = (title: string) =>
    roost.inject({ method: 'POST', url: '/api/collections/posts/records', body: { title } });
  const indexed = 'CREATE INDEX idx_title ON posts (title)';
  const unique = 'CREATE UNIQUE INDEX idx_title ON posts (title)';
  const onServer = (sql: string): Promise<unknown[]> =>
    roost.app.get(Database, { strict: false }).all({ sql, params: [] });
  const indexes = async (): Promise<unknown[]> =>
    onServer(
      `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indrelid = 'posts'::regclass AND relname NOT LIKE 'posts\\_%' ORDER BY 1`,
    );
  const waiting = (statement: string): Promise<void> =>
    expect
      .poll(() =>
        onServer(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '${statement}%'`),
      )
      .toHaveLength(1);

  it('SCALE-13 records are created while an index is built', async () => {
    // The build waits for whoever wrote the table before it began.
    await other.query(`BEGIN; UPDATE posts SET title = 'held' WHERE id = 'p00000000000001'`);
    const changing = change({ indexes: [indexed] });
    await waiting('CREATE INDEX CONCURRENTLY');
    const created = await create('meanwhile');
    expect(created.status).toBe(200);
    await other.query('COMMIT');
    const changed = await changing;
    expect([changed.status, changed.body.indexes]).toEqual([200, [indexed]]);
    expect(await indexes()).toEqual([{ name: 'idx_title', valid: 1 }]);
  });

  it('SCALE-13 values that are not unique refuse an index, and nothing of it stays', async () => {
    await other.query(`UPDATE posts SET title = 'same' WHERE id IN ('p00000000000001', 'p00000000000002')`);
    const changed = await change({ indexes: [unique] });
    expect([changed.status, changed.body.data.indexes['0'].code]).toEqual([400, 'validation_invalid_index_expression']);
    expect(await indexes()).toEqual([]);
    await other.query(`UPDATE posts SET title = 'other' WHERE id = 'p00000000000002'`);
    expect((await change({ indexes: [unique] })).status).toBe(200);
    expect(await indexes()).toEqual([{ name: 'idx_title', valid: 1 }]);
    expect((await create('other')).body.data.title.code).toBe('validation_not_unique');
  });

  it('SCALE-13 an index that is changed is there before and after', async () => {
    await change({ indexes: [indexed] });
    const changed = await change({ indexes: [unique] });
    expect(changed.status).toBe(200);
    expect(await indexes()).toEqual([{ name: 'idx_title', valid: 1 }]);
    expect((await create('T7')).body.data.title.code).toBe('validation_not_unique');
  });

  it('SCALE-13 a table that somebody reads for long keeps nobody else from reading it', async () => {
    await other.query('BEGIN; SELECT 1 FROM posts LIMIT 1');
    const changing = change({
      fields: [
        { name: 'title', type: 'text' },
        { name: 'more', type: 'text' },
      ],
    });
    await waiting('ALTER TABLE');
    // Waits behind the change until that gives way.
    const listed = await roost.inject({ url: '/api/collections/posts/records?skipTotal=1&perPage=1' });
    expect(listed.status).toBe(200);
    await other.query('COMMIT');
    const changed = await changing;
    expect(changed.body.fields.map(({ name }: { name: string }) => name)).toContain('more');
  });

  it('SCALE-13 an index that a process has not completed is removed at the next start', async () => {
    const name = 'roost:index:abc';
    await other.query(`UPDATE posts SET title = 'same' WHERE id IN ('p00000000000001', 'p00000000000002')`);
    await other.query(`CREATE UNIQUE INDEX CONCURRENTLY "${name}" ON posts (title)`).catch(() => undefined);
    expect(await indexes()).toEqual([{ name, valid: 0 }]);
    await roost.close();
    roost = await startRoost({ config: { DATABASE_URL: url } });
    await expect.poll(indexes).toEqual([]);
  });
});
