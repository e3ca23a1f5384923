import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PostgresCluster } from '../support/postgres-cluster.js';
import type { Finished } from '../support/roost-process.js';
import { createTestRoost } from '../../src/testing/index.js';
import { DatabaseCopy } from '../../src/transfer/database-copy.js';
import { everythingOf, fillWithEverything } from '../transfer/support/everything.js';
import { command } from './command.js';
import { start, workspace } from './workspace.js';

describe.skipIf(PostgresCluster.programs === undefined)('roost db copy', () => {
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.stop());

  const run = (cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Finished> =>
    start(['db', 'copy', ...args, `--dir=${join(cwd, 'data')}`], cwd, env).finished();

  it('SCALE-14 OPS-160 copies beside a running server, and back again, with counts and checksums', async () => {
    const cwd = workspace();
    const roost = await createTestRoost({ dir: join(cwd, 'data') });
    try {
      const token = await fillWithEverything(roost, { records: 20 });
      const url = await cluster.newDatabase();
      const there = await run(cwd, ['--to', url, '--no-logs']);
      expect(there).toMatchObject({ code: 0, stderr: '' });
      expect(there.stdout).toMatch(/^things: 18 records, sha256 [0-9a-f]{16}$/m);
      expect(there.stdout).toMatch(/Copied 24 records of 8 collections and 2 views to 127\.0\.0\.1:\d+\/\w+; counts/);
      expect(there.stdout).toContain('The log was left out.');
      expect(there.stdout).not.toContain('roost@');
      const back = await run(cwd, ['--to=back'], { DATABASE_URL: url });
      expect(back).toMatchObject({ code: 0, stderr: '' });
      const again = await createTestRoost({ dir: join(cwd, 'back') });
      expect(await everythingOf(again, token)).toEqual(await everythingOf(roost, token));
      await again.close();
      const full = await run(cwd, ['--to', url]);
      expect(full).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^Error: The database .* it is not empty.*\n$/),
      });
    } finally {
      await roost.close();
    }
  });

  it('SCALE-14 COL-172 names collections that are called like something PostgreSQL has itself', async () => {
    const cwd = workspace();
    const roost = await createTestRoost({ dir: join(cwd, 'data') });
    await roost.createCollections(
      { name: 'PG_Class', type: 'base', fields: [{ name: 'a', type: 'text' }] },
      { name: 'pg_stats', type: 'view', viewQuery: 'SELECT id FROM users' },
    );
    await roost.close();
    const url = await cluster.newDatabase();
    const copiesLog = vi.spyOn(DatabaseCopy.prototype, 'runLogs');
    const { code, stdout, stderr } = await command(['db', 'copy', '--to', url, `--dir=${join(cwd, 'data')}`], cwd);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: [^\n]*the name of a collection, which [^\n]*: PG_Class, pg_stats\.\n$/);
    expect(copiesLog).not.toHaveBeenCalled();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const left = await client.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");
    await client.end();
    expect(left.rows).toEqual([]);
    copiesLog.mockRestore();
  });

  it.each([
    [[], 2, 'Say where to copy to'],
    [['--to=mysql://x/y'], 2, 'neither'],
    [['--to=postgres://nobody:secret@'], 2, 'not an address'],
    [['--to=postgres://nobody:secret@127.0.0.1:1/none'], 1, 'ECONNREFUSED'],
  ])('SCALE-14 OPS-161 tells in one line what is wrong with %j', async (args, code, reason) => {
    const cwd = workspace();
    await (await createTestRoost({ dir: join(cwd, 'data') })).close();
    const finished = await command(['db', 'copy', ...args, `--dir=${join(cwd, 'data')}`], cwd);
    expect(finished).toMatchObject({ code, stderr: expect.stringContaining(reason) });
    expect(finished.stderr).not.toContain('secret');
    expect(finished.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('SCALE-14 OPS-161 copies nothing onto itself', async () => {
    const cwd = workspace();
    await (await createTestRoost({ dir: join(cwd, 'data') })).close();
    const { code, stderr } = await run(cwd, ['--to=data']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Error: [^\n]*the same database[^\n]*\n$/),
    });
  });

  it('SCALE-14 makes no data directory to copy from', async () => {
    const cwd = workspace();
    mkdirSync(join(cwd, 'data'));
    const { code, stderr } = await command(['db', 'copy', '--to=other', `--dir=${join(cwd, 'data')}`], cwd);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('There is no database in') });
    expect(existsSync(join(cwd, 'data', 'data.db'))).toBe(false);
  });
});
