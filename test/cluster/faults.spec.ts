import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventSource } from 'eventsource';
import PocketBase from 'pocketbase';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { roundsOf } from '../faults/rounds.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Redis } from '../support/redis.js';
import { MAIN, RoostProcess } from '../support/roost-process.js';
import { RoundRobin } from '../support/round-robin.js';
import { ClusterLoad, isOfSlowMachine } from './cluster-load.js';
import { ClusterUnderTest, type StartInstance } from './cluster-under-test.js';

/** The SDK finds EventSource on the global object, as it does in a browser. */
globalThis.EventSource = EventSource as unknown as typeof globalThis.EventSource;

/** Writes before and after each fault. */
const SOME = 60;
/** Milliseconds for a test of it, on a machine that does much else. */
const PATIENCE = 180_000;

/** Each is a cluster of its own: all of them with `npm run test:faults`. test/instances has both in the suite. */
const BUSES = roundsOf(1) > 1 ? ['Redis', 'PostgreSQL alone'] : ['Redis'];

describe.skipIf(PostgresCluster.programs === undefined || !RoundRobin.isInstalled).each(BUSES)(
  'three instances under load that reach each other by %s',
  { timeout: PATIENCE },
  (what) => {
    let parent: string;
    let postgres: PostgresCluster;
    let redis: Redis;
    let cluster: ClusterUnderTest;
    let load: ClusterLoad;

    const start: StartInstance = async ({ flags, dir, env }) => {
      const process = new RoostProcess(['serve', ...flags, `--dir=${dir}`], { cwd: parent, env });
      await process.address();
      return { kill: () => process.stop('SIGKILL'), stop: () => process.stop() };
    };

    beforeAll(async () => {
      parent = mkdtempSync(join(tmpdir(), 'roost-faults-'));
      [postgres, redis] = await Promise.all([PostgresCluster.start(), Redis.start()]);
      const databaseUrl = await postgres.newDatabase();
      const redisPort = what === 'Redis' ? redis.port : undefined;
      cluster = await ClusterUnderTest.start({ databaseUrl, redisPort, main: MAIN, start });
    }, PATIENCE);
    afterAll(async () => {
      await cluster?.stop();
      await redis?.stop();
      await postgres?.stop();
      rmSync(parent, { recursive: true, force: true });
    });

    beforeEach(async () => {
      load = new ClusterLoad(cluster.origin, cluster.token, { writers: 8, readers: 2, streams: 9, pause: 10 });
      await load.begin();
      await load.acknowledged(SOME);
    }, PATIENCE);
    afterEach(() => load.stop());

    const failures = () => load.failures.filter((failure) => !isOfSlowMachine(failure));

    it('SCALE-27 one of them is killed: only its own streams and requests in flight notice', async () => {
      const before = load.connections();
      const victim = cluster.instances.find(({ address }) => address === before[0]!.servedBy);
      const sdks = cluster.instances.map(() => new PocketBase(cluster.origin));
      const heard = sdks.map(() => new Set<string>());
      await Promise.all(
        sdks.map((sdk, index) =>
          sdk.collection('counters').subscribe('*', ({ record }) => void heard[index]!.add(record.id)),
        ),
      );
      const survivors = before.filter(({ servedBy }) => servedBy !== victim!.address).map(({ name }) => name);
      expect(survivors.length).toBeGreaterThan(0);
      await cluster.kill(victim!);
      await load.acknowledged(SOME);
      await load.subscribed();
      await cluster.replace(victim!);
      await load.acknowledged(SOME);
      expect((await load.verdict()).slice(0, 5)).toEqual([]);
      expect(load.connections().map(({ name }) => name)).toEqual(expect.arrayContaining(survivors));
      expect(failures().filter(({ servedBy }) => servedBy !== victim!.address)).toEqual([]);
      const unlucky = failures().map(({ client }) => client);
      expect(new Set(unlucky).size).toBe(unlucky.length);
      // One of these was connected to it, and has come back by itself.
      const { id } = await sdks[0]!.collection('counters').create({ count: 0 });
      await expect.poll(() => heard.filter((ids) => ids.has(id)).length).toBe(sdks.length);
      for (const sdk of sdks) await sdk.realtime.unsubscribe();
    });

    it.runIf(what === 'Redis')(
      'SCALE-27 SCALE-21 one of them is cut off from Redis: nobody notices but who asks how it is',
      async () => {
        const [victim, other] = cluster.instances;
        const before = load.connections().map(({ name }) => name);
        const health = () => fetch(`http://${victim!.address}/api/health`).then(({ status }) => status);
        await victim!.redis!.cut();
        await expect.poll(health).toBe(503);
        expect((await fetch(`http://${other!.address}/api/health`)).status).toBe(200);
        await load.acknowledged(SOME);
        await victim!.redis!.mend();
        await expect.poll(health).toBe(200);
        await load.acknowledged(SOME);
        expect((await load.verdict()).slice(0, 5)).toEqual([]);
        expect(load.connections().map(({ name }) => name)).toEqual(before);
        expect(failures()).toEqual([]);
      },
    );

    it('SCALE-27 SCALE-18 PostgreSQL restarts: 503 with Retry-After until it is back, and streams stay', async () => {
      const before = load.connections().map(({ name }) => name);
      await postgres.restartFast();
      await load.acknowledged(SOME);
      expect((await load.verdict()).slice(0, 5)).toEqual([]);
      expect(load.connections().map(({ name }) => name)).toEqual(before);
      expect(failures().filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([]);
      await expect.poll(() => fetch(`${cluster.origin}/api/health`).then(({ status }) => status)).toBe(200);
    });
  },
);
