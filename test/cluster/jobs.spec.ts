import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { RoostProcess } from '../support/roost-process.js';

const MAIN = fileURLToPath(new URL('ticking-main.mjs', import.meta.url));

describe.skipIf(PostgresCluster.programs === undefined)('jobs of several instances', { timeout: 180_000 }, () => {
  let parent: string;
  let postgres: PostgresCluster;
  let databaseUrl: string;
  const instances: RoostProcess[] = [];

  /** The process of each run, in their order. */
  const runs = () => readFileSync(join(parent, 'runs'), 'utf8').split('\n').filter(Boolean).map(Number);

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'roost-jobs-'));
    writeFileSync(join(parent, 'runs'), '');
    postgres = await PostgresCluster.start();
    databaseUrl = await postgres.newDatabase();
    const env = { DATABASE_URL: databaseUrl, ROOST_SHARED: 'true', RUNS: join(parent, 'runs') };
    for (let index = 0; index < 3; index++) {
      const flags = ['serve', '--http=127.0.0.1:0', `--dir=${parent}/data${index}`, '--sharedStorage'];
      instances.push(new RoostProcess(flags, { cwd: parent, env, main: MAIN }));
    }
  }, 180_000);
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await postgres?.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  it('SCALE-24 instances that start at the same moment on an empty database all come up, migrated once', async () => {
    const addresses = await Promise.all(instances.map((instance) => instance.address()));
    for (const address of addresses) expect((await fetch(`${address}/api/health`)).status).toBe(200);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ name: string }>('SELECT name FROM _system_migrations');
    await client.end();
    const names = rows.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(new Set(names).size).toBe(names.length);
  });

  it('SCALE-24 AUTH-1208 the first superuser is made once, whichever of them are asked with a link at the same time', async () => {
    const addresses = await Promise.all(instances.map((instance) => instance.address()));
    // Each may make a link once it listens, of which the last one holds.
    const links = () => instances.flatMap(({ stdout }) => [...stdout.matchAll(/#\/pbinstall\/(\S+)/g)]);
    let seen = 0;
    const areAllThere = () => {
      const before = seen;
      seen = links().length;
      return seen > 0 && seen === before;
    };
    await expect.poll(areAllThere, { interval: 1000 }).toBe(true);
    const tokens = links().map(([, token]) => token!);
    const attempts = [0, 1, 2].flatMap(() =>
      addresses.flatMap((address) => tokens.map((token) => ({ address, token }))),
    );
    const answers = await Promise.all(
      attempts.map(async ({ address, token }, index) => {
        const body = {
          token,
          email: `first${index}@example.com`,
          password: 'correct horse',
          passwordConfirm: 'correct horse',
        };
        const headers = { 'content-type': 'application/json' };
        return (await fetch(`${address}/api/setup`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
      }),
    );
    expect(answers.filter((status) => status < 300)).toHaveLength(1);
    expect(answers.filter((status) => status >= 500)).toEqual([]);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    expect((await client.query('SELECT id FROM _superusers')).rows).toHaveLength(1);
    await client.end();
  });

  it('SCALE-24 EXT-6 a job runs on one of them, and on another one when that is killed', async () => {
    // All of them are there by now.
    const begun = runs().length;
    await expect.poll(() => runs().length, { timeout: 60_000 }).toBeGreaterThan(begun + 8);
    const [leader] = runs();
    expect(new Set(runs())).toEqual(new Set([leader]));
    const victim = instances.find(({ child }) => child.pid === leader)!;
    await victim.stop('SIGKILL');
    const before = runs().length;
    // The seconds of the specification.
    await expect.poll(() => runs().length, { timeout: 60_000 }).toBeGreaterThan(before + 8);
    const after = new Set(runs().slice(before));
    expect(after.size).toBe(1);
    expect(instances.map(({ child }) => child.pid)).toContain([...after][0]);
    expect(after).not.toContain(leader);
  });
});
