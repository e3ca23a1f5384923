import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleRoost } from '../../src/assemble-roost.js';
import { OtherDatabases } from '../../src/database/other-databases.js';
import { PocketBaseImportService } from '../../src/pocketbase-import/pocketbase-import.service.js';
import { createTestRoost } from '../../src/testing/index.js';
import { ID, PASSWORD_OF_ALL, text, writePocketBaseDirectory } from '../support/pocketbase-directory.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { vacuumedOf } from './support/vacuumed.js';

const root = mkdtempSync(join(tmpdir(), 'roost-import-pg-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(PostgresCluster.programs === undefined)('import-pocketbase into PostgreSQL', () => {
  const [source, broken] = [join(root, 'source'), join(root, 'broken')];
  let cluster: PostgresCluster;

  beforeAll(async () => {
    writePocketBaseDirectory(source, { morePosts: 600 });
    writePocketBaseDirectory(broken, { postsRule: 'nothing.like.this = 1' });
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.stop());

  /** As the command does it; with a callback also what a process does that is killed there. */
  async function runImport(from: string, name: string, url: string, work?: (others: OtherDatabases) => Promise<void>) {
    const dir = join(root, name);
    const argv = ['import-pocketbase', from, `--dir=${dir}`];
    const { app } = await assembleRoost({}, { argv, env: { DATABASE_URL: url }, cwd: root });
    try {
      if (work) return await work(app.get(OtherDatabases, { strict: false }));
      return await app.get(PocketBaseImportService, { strict: false }).import(from, () => undefined);
    } finally {
      await app.close();
    }
  }

  async function relationsIn(url: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const sql = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace";
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('SCALE-14 OPS-165 brings records, accounts and files, in their order', async () => {
    const url = await cluster.newDatabase();
    await runImport(source, 'whole', url);
    // Not to wait for autovacuum.
    expect(await vacuumedOf(url, ['posts', 'users'])).toEqual(['posts', 'users']);
    const roost = await createTestRoost({ dir: join(root, 'whole'), config: { DATABASE_URL: url } });
    try {
      const token = await roost.signIn('_superusers', 'root@example.com');
      const list = (await roost.inject({ url: '/api/collections/posts/records?perPage=1000', token })).body;
      expect(list.totalItems).toBe(602);
      const ids = list.items.slice(0, 3).map(({ id }: { id: string }) => id);
      expect(ids).toEqual(['post00000000001', 'post00000000002', 'more00000000000']);
      const login = { identity: 'ann@example.com', password: PASSWORD_OF_ALL };
      const answer = await roost.inject({ url: '/api/collections/users/auth-with-password', body: login });
      expect(answer.status).toBe(200);
      const file = await roost.inject({ url: '/api/files/posts/post00000000001/two_bbbbbbbbbb.txt' });
      expect(file.text).toBe('two');
    } finally {
      await roost.close();
    }
    // It is full now.
    await expect(runImport(source, 'second', url)).rejects.toThrow(/it is not empty/);
    expect(readdirSync(join(root, 'second'))).toEqual([]);
  });

  it('SCALE-14 OPS-165 leaves database and directory as empty as they were when it fails', async () => {
    const url = await cluster.newDatabase();
    await expect(runImport(broken, 'failed', url)).rejects.toThrow(/posts/);
    expect(await relationsIn(url)).toEqual([]);
    expect(readdirSync(join(root, 'failed'))).toEqual([]);
    await runImport(source, 'failed', url);
  });

  it('SCALE-14 COL-172 tells of a collection that is called like something PostgreSQL has itself', async () => {
    const [from, url] = [join(root, 'catalog'), await cluster.newDatabase()];
    const collection = { id: 'pbc_3333333333', name: 'pg_class', type: 'base', fields: [ID, text('a')] };
    writePocketBaseDirectory(from, { collections: [collection] });
    await expect(runImport(from, 'of-catalog', url)).rejects.toThrow(/^[^\n]*"pg_class"[^\n]*name[^\n]*$/);
    expect(await relationsIn(url)).toEqual([]);
    expect(readdirSync(join(root, 'of-catalog'))).toEqual([]);
  });

  it('SCALE-14 OPS-165 lets nobody use what a killed one has left, and begins anew', async () => {
    const url = await cluster.newDatabase();
    await runImport(source, 'killed', url, async (others) => {
      const part = others.own();
      await part.data.lifecycle.open({ fills: true });
      await part.close();
    });
    const started = createTestRoost({ dir: join(root, 'other'), config: { DATABASE_URL: url } });
    await expect(started).rejects.toThrow(/holds a part of a copy only/);
    await runImport(source, 'killed', url);
    expect(await relationsIn(url)).not.toEqual([]);
  });
});
