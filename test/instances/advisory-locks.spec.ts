import { Logger } from '@nestjs/common';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AdvisoryLocks } from '../../src/database/postgres/advisory-locks.js';
import { PostgresCluster } from '../support/postgres-cluster.js';

/** Does work unless another instance is doing it; false when one is. */
async function runExclusively(locks: AdvisoryLocks, name: string, work: () => unknown): Promise<boolean> {
  const held = await locks.tryLock(name);
  if (!held) return false;
  try {
    await work();
    return true;
  } finally {
    await held.release();
  }
}

describe.skipIf(PostgresCluster.programs === undefined)('what one instance does at a time', () => {
  let cluster: PostgresCluster;
  let url: string;
  let instances: AdvisoryLocks[] = [];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    url = await cluster.newDatabase();
  });
  afterEach(async () => {
    for (const instance of instances) await instance.close();
    instances = [];
    vi.restoreAllMocks();
  });
  afterAll(() => cluster.stop());

  const start = () => {
    const instance = new AdvisoryLocks(url);
    instances.push(instance);
    return instance;
  };

  it('SCALE-24 one of fifty does what only one may do, and the next one does it after it', async () => {
    const [one, two] = [start(), start()];
    let running = 0;
    let release: () => void = () => undefined;
    const work = async () => {
      expect(++running).toBe(1);
      await new Promise<void>((resolve) => (release = resolve));
      running--;
    };
    const tries = Array.from({ length: 50 }, (_, index) => runExclusively(index % 2 ? one : two, 'job', work));
    const settled: boolean[] = [];
    for (const each of tries) void each.then((did) => settled.push(did));
    await expect.poll(() => settled.length, { timeout: 10_000 }).toBe(49);
    expect(await runExclusively(two, 'other job', () => undefined)).toBe(true);
    release();
    const did = await Promise.all(tries);
    expect(did.filter(Boolean)).toHaveLength(1);
    expect(await runExclusively(two, 'job', () => undefined)).toBe(true);
  });

  it('SCALE-24 work that fails lets others begin', async () => {
    const [one, two] = [start(), start()];
    await expect(runExclusively(one, 'job', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(await runExclusively(two, 'job', () => undefined)).toBe(true);
  });

  it('SCALE-24 holds a name for whoever waits for it, one after another', async () => {
    const [one, two] = [start(), start()];
    const first = await one.lock('name');
    expect(await two.tryLock('name')).toBeUndefined();
    let isSecond = false;
    const second = two.lock('name').then((held) => {
      isSecond = true;
      return held;
    });
    expect(isSecond).toBe(false);
    await first.release();
    await first.release();
    await (await second).release();
    await expect(first.ended).resolves.toBeUndefined();
  });

  it('SCALE-24 another instance takes over when the one that leads is killed', async () => {
    const program = `
      import pg from ${JSON.stringify(new URL('../../node_modules/pg/esm/index.mjs', import.meta.url).pathname)};
      const client = new pg.Client({ connectionString: ${JSON.stringify(url)} });
      await client.connect();
      await client.query('BEGIN');
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended('roost ' || current_schema() || ' lead', 0))");
      console.log('leads');`;
    const leader = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(leader.stdout, 'data');
    const one = start();
    let begun = 0;
    void one.campaign(() => void begun++);
    expect(await start().tryLock('lead')).toBeUndefined();
    expect([begun, one.leads]).toEqual([0, false]);
    leader.kill('SIGKILL');
    await expect.poll(() => [begun, one.leads], { timeout: 20_000 }).toEqual([1, true]);
  });

  it('SCALE-24 an instance that loses the server leads no more, until it does again', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const one = start();
    let begun = 0;
    void one.campaign(() => void begun++);
    await expect.poll(() => one.leads).toBe(true);
    await cluster.pause();
    await expect.poll(() => one.leads).toBe(false);
    await cluster.resume();
    await expect.poll(() => [begun, one.leads], { timeout: 20_000 }).toEqual([2, true]);
    await one.close();
    const two = start();
    void two.campaign(() => void begun++);
    await expect.poll(() => two.leads, { timeout: 20_000 }).toBe(true);
  });
});
