import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Redis } from '../support/redis.js';
import { MAIN, RoostProcess } from '../support/roost-process.js';
import { SseReader } from '../support/sse-reader.js';

const POSTS = {
  name: 'posts',
  type: 'base',
  fields: [
    { type: 'text', name: 'title' },
    { type: 'number', name: 'views' },
  ],
  listRule: '',
  viewRule: '',
  createRule: '',
  updateRule: '',
};

interface Instance {
  readonly process: RoostProcess;
  readonly address: string;
}

interface Heard {
  readonly action: string;
  readonly record: { readonly title: string; readonly views: number };
}

describe.skipIf(PostgresCluster.programs === undefined).each(['Redis', 'PostgreSQL alone'])(
  'instances that reach each other by %s',
  (what) => {
    let cluster: PostgresCluster;
    let redis: Redis;
    let parent: string;
    let env: Record<string, string>;
    let instances: Instance[];
    let token: string;
    let started = 0;

    const start = async (): Promise<Instance> => {
      const flags = ['--http=127.0.0.1:0', `--dir=${parent}/data${++started}`];
      const process = new RoostProcess(['serve', ...flags], { cwd: parent, env });
      return { process, address: await process.address() };
    };
    const ask = async ({ address }: Instance, path: string, method = 'GET', body?: unknown) => {
      const response = await fetch(`${address}/api/${path}`, {
        method,
        headers: { authorization: token, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      // Tests look into answers of every shape.
      // oxlint-disable-next-line typescript/no-explicit-any
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any };
    };
    const create = async (at: Instance, title: string) => {
      const { status, body } = await ask(at, 'collections/posts/records', 'POST', { title, views: 0 });
      expect(status).toBe(200);
      return body as { id: string };
    };
    const listen = async (at: Instance, subscribedAt: Instance) => {
      const reader = await SseReader.connect({ port: Number(new URL(at.address).port) });
      const body = { clientId: reader.clientId, subscriptions: ['posts'] };
      expect((await ask(subscribedAt, 'realtime', 'POST', body)).status).toBe(204);
      return reader;
    };
    const heardOf = async (reader: SseReader, count: number) =>
      (await reader.receive(count)).map(({ data }) => JSON.parse(data) as Heard);

    beforeAll(async () => {
      parent = mkdtempSync(join(tmpdir(), 'roost-cluster-'));
      [cluster, redis] = await Promise.all([PostgresCluster.start(), Redis.start()]);
      const DATABASE_URL = await cluster.newDatabase();
      env = { DATABASE_URL, ...(what === 'Redis' ? { REDIS_URL: redis.url } : { ROOST_SHARED: 'true' }) };
      instances = [await start()];
      const upsert = ['superuser', 'upsert', 'a@example.com', 'correct horse', `--dir=${parent}/command`];
      execFileSync(process.execPath, [MAIN, ...upsert], { cwd: parent, env: { ...process.env, ...env } });
      token = '';
      const login = { identity: 'a@example.com', password: 'correct horse' };
      const { body } = await ask(instances[0]!, 'collections/_superusers/auth-with-password', 'POST', login);
      token = body.token as string;
      instances.push(await start());
      await ask(instances[0]!, 'collections', 'POST', POSTS);
    }, 120_000);
    afterAll(async () => {
      for (const instance of instances) await instance.process.stop();
      await cluster.stop();
      await redis.stop();
      rmSync(parent, { recursive: true, force: true });
    });

    it('SCALE-22 RT-97 a stream of one is subscribed through another, and hears what any of them stores, once', async () => {
      const [one, two] = instances as [Instance, Instance];
      const readers = [await listen(one, two), await listen(two, one), await listen(one, one)];
      for (let count = 0; count < 6; count++) await create(instances[count % 2]!, `post ${count}`);
      for (const reader of readers) {
        const titles = (await heardOf(reader, 6)).map(({ record }) => record.title);
        expect(titles.sort()).toEqual(Array.from({ length: 6 }, (_, count) => `post ${count}`));
        reader.close();
      }
    });

    it('SCALE-21 hears of what another one does to a record in the order of its commits', async () => {
      const [one, two] = instances as [Instance, Instance];
      const reader = await listen(two, two);
      const { id } = await create(one, 'counted');
      const patches = Array.from({ length: 20 }, () =>
        ask(one, `collections/posts/records/${id}`, 'PATCH', { 'views+': 1 }),
      );
      expect((await Promise.all(patches)).every(({ status }) => status === 200)).toBe(true);
      const heard = await heardOf(reader, 21);
      expect(heard.map(({ record }) => record.views)).toEqual(Array.from({ length: 21 }, (_, count) => count));
      reader.close();
    });

    if (what === 'Redis')
      it('SCALE-21 catches up with what happened while Redis was away', async () => {
        const [one, two] = instances as [Instance, Instance];
        const reader = await listen(one, one);
        await redis.crash();
        await create(two, 'in the dark');
        await redis.restart();
        const heard = await heardOf(reader, 1);
        expect(heard.map(({ record }) => record.title)).toEqual(['in the dark']);
        reader.close();
      });

    it('SCALE-20 the others go on when one is killed, and a new one joins them', async () => {
      const [one, two] = instances as [Instance, Instance];
      const reader = await listen(two, two);
      await one.process.stop('SIGKILL');
      await create(two, 'after the end');
      expect((await heardOf(reader, 1)).map(({ record }) => record.title)).toEqual(['after the end']);
      const three = await start();
      instances = [two, three];
      await create(three, 'by the new one');
      expect((await heardOf(reader, 2)).map(({ record }) => record.title)).toEqual(['after the end', 'by the new one']);
      reader.close();
      const other = await listen(three, two);
      await create(two, 'both ways');
      expect((await heardOf(other, 1)).map(({ record }) => record.title)).toEqual(['both ways']);
      other.close();
      expect((await three.process.stop()).code).toBe(0);
      instances = [two];
    });
  },
);
