import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Redis } from '../support/redis.js';
import { MAIN, RoostProcess } from '../support/roost-process.js';
import { RoundRobin } from '../support/round-robin.js';
import { ClusterLoad, isOfSlowMachine } from './cluster-load.js';
import { ClusterUnderTest, type StartInstance } from './cluster-under-test.js';
import { LATER, newerBuild } from './newer-build.js';

const SOME = 60;
const PATIENCE = 180_000;

describe.skipIf(PostgresCluster.programs === undefined || !RoundRobin.isInstalled)(
  'instances that are replaced by a newer version one after another',
  { timeout: PATIENCE },
  () => {
    let parent: string;
    let newer: ReturnType<typeof newerBuild>;
    let postgres: PostgresCluster;
    let redis: Redis;
    let databaseUrl: string;
    let cluster: ClusterUnderTest;
    let load: ClusterLoad;
    let main = MAIN;

    const start: StartInstance = async ({ flags, dir, env }) => {
      const process = new RoostProcess(['serve', ...flags, `--dir=${dir}`], { cwd: parent, env, main });
      await process.address();
      return { kill: () => process.stop('SIGKILL'), stop: () => process.stop() };
    };
    const query = async (sql: string) => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      try {
        return (await client.query(sql)).rows as readonly Record<string, unknown>[];
      } finally {
        await client.end();
      }
    };

    const failures = () => load.failures.filter((failure) => !isOfSlowMachine(failure));

    beforeAll(async () => {
      parent = mkdtempSync(join(tmpdir(), 'roost-rolling-'));
      newer = newerBuild();
      [postgres, redis] = await Promise.all([PostgresCluster.start(), Redis.start()]);
      databaseUrl = await postgres.newDatabase();
      cluster = await ClusterUnderTest.start({ databaseUrl, redisPort: redis.port, main: MAIN, start }, 2);
      load = new ClusterLoad(cluster.origin, cluster.token, { writers: 8, readers: 2, streams: 6, pause: 10 });
      await load.begin();
    }, PATIENCE);
    afterAll(async () => {
      await load?.stop();
      await cluster?.stop();
      await redis?.stop();
      await postgres?.stop();
      for (const folder of [parent, newer.folder]) rmSync(folder, { recursive: true, force: true });
    });

    it('SCALE-29 an older one goes on serving while a newer one changes the tables beside it, and is replaced in turn', async () => {
      await load.acknowledged(SOME);
      main = newer.main;
      const [first, second] = cluster.instances;
      await first!.process.stop();
      await cluster.replace(first!);
      expect(await query(`SELECT name FROM _system_migrations WHERE name = '${LATER}'`)).toHaveLength(1);
      await load.acknowledged(SOME);
      // Through either, with definitions that the other has to hear of.
      for (const [index, instance] of [second!, first!].entries()) {
        const fields = [{ type: 'number', name: 'count' }];
        await cluster.ask(instance, 'collections', { name: `made_${index}`, type: 'base', fields });
        for (const { port } of cluster.instances) await cluster.ask({ port }, `collections/made_${index}/records`);
      }
      await load.subscribed();
      expect(failures().filter(({ servedBy }) => servedBy !== first!.address)).toEqual([]);
      const before = failures().length;
      await second!.process.stop();
      await cluster.replace(second!);
      await load.acknowledged(SOME);
      await load.subscribed();
      expect((await load.verdict()).slice(0, 5)).toEqual([]);
      expect(
        failures()
          .slice(before)
          .filter(({ servedBy }) => servedBy !== second!.address),
      ).toEqual([]);
    });

    it('SCALE-29 OPS-181 an older one that starts after that ends at once, and says which change it does not know', async () => {
      const flags = ['serve', '--http=127.0.0.1:0', `--dir=${parent}/older`, '--sharedStorage'];
      const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
      const { code, stderr } = await new RoostProcess(flags, { cwd: parent, env }).finished();
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^Error: .* was made by a newer version; this one does not know ${LATER}\\.\\n$`),
      );
      expect((await fetch(`${cluster.origin}/api/health`)).status).toBe(200);
    });
  },
);
