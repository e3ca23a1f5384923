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

    const start = async (...more: readonly string[]): Promise<Instance> => {
      const flags = ['--http=127.0.0.1:0', `--dir=${parent}/data${++started}`, '--sharedStorage', ...more];
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

    it('SCALE-21 hears of changes of one record in the order of their commits, whichever instance makes them', async () => {
      const [one, two] = instances as [Instance, Instance];
      const readers = [await listen(one, two), await listen(two, one)];
      const { id } = await create(one, 'counted everywhere');
      const patches = Array.from({ length: 40 }, (_, count) =>
        ask(instances[count % 2]!, `collections/posts/records/${id}`, 'PATCH', { 'views+': 1 }),
      );
      expect((await Promise.all(patches)).every(({ status }) => status === 200)).toBe(true);
      for (const reader of readers) {
        const heard = await heardOf(reader, 41);
        expect(heard.map(({ record }) => record.views)).toEqual(Array.from({ length: 41 }, (_, count) => count));
        reader.close();
      }
    });

    it('SCALE-23 rules, settings and tokens that one has changed hold at the other with the answer', async () => {
      const [one, two] = instances as [Instance, Instance];
      for (const [listRule, status] of [
        [null, 403],
        ['', 200],
        [null, 403],
        ['', 200],
      ] as const) {
        expect((await ask(one, 'collections/posts', 'PATCH', { listRule })).status).toBe(200);
        expect((await fetch(`${two.address}/api/collections/posts/records`)).status).toBe(status);
      }
      for (const appName of ['One', 'Two']) {
        await ask(one, 'settings', 'PATCH', { meta: { appName } });
        expect((await ask(two, 'settings')).body.meta.appName).toBe(appName);
      }
      const password = { password: 'correct horse', passwordConfirm: 'correct horse' };
      const made = await ask(one, 'collections/_superusers/records', 'POST', { email: 'b@example.com', ...password });
      const login = { identity: 'b@example.com', password: 'correct horse' };
      const signedIn = await ask(two, 'collections/_superusers/auth-with-password', 'POST', login);
      const list = () => fetch(`${two.address}/api/collections`, { headers: { authorization: signedIn.body.token } });
      expect((await list()).status).toBe(200);
      await ask(one, `collections/_superusers/records/${made.body.id}`, 'DELETE');
      expect((await list()).status).toBe(401);
    });

    it('SCALE-23 no request runs with a schema that does not match the tables', async () => {
      const [one, two] = instances as [Instance, Instance];
      const { body: collection } = await ask(one, 'collections/posts');
      const { id } = await create(two, 'swapped');
      const answers: number[] = [];
      let isOver = false;
      const load = async (send: () => Promise<{ status: number }>) => {
        while (!isOver) answers.push((await send()).status);
      };
      const loads = [
        load(() => ask(two, `collections/posts/records/${id}`)),
        load(() => ask(two, 'collections/posts/records?sort=-title')),
        load(() => ask(two, `collections/posts/records/${id}`, 'PATCH', { 'views+': 1 })),
        load(() => ask(one, `collections/posts/records/${id}`, 'PATCH', { 'views+': 1 })),
      ];
      for (let round = 0; round < 8; round++) {
        const fields = [...collection.fields, { type: 'text', name: `extra_${round}` }];
        expect((await ask(instances[round % 2]!, 'collections/posts', 'PATCH', { fields })).status).toBe(200);
      }
      isOver = true;
      await Promise.all(loads);
      expect(answers.length).toBeGreaterThan(8);
      expect(new Set(answers)).toEqual(new Set([200]));
    });

    if (what === 'Redis')
      it('SCALE-21 catches up with what happened while Redis was away', async () => {
        const [one, two] = instances as [Instance, Instance];
        const reader = await listen(one, one);
        await redis.crash();
        const health = () => fetch(`${one.address}/api/health`).then(({ status }) => status);
        await expect.poll(health).toBe(503);
        const { id } = await create(two, 'in the dark');
        await redis.restart();
        await expect.poll(health).toBe(200);
        // Of changes that were made before it may hear late.
        await reader.until(() => reader.events.some(({ data }) => data.includes(id)));
        await create(two, 'in the light');
        await reader.until(() => reader.events.some(({ data }) => data.includes('in the light')));
        expect(reader.events.filter(({ data }) => data.includes(id))).toHaveLength(1);
        reader.close();
      });

    if (what === 'Redis')
      it('SCALE-21 says so when Redis takes no notice, goes on writing, and catches up', async () => {
        const [one, two] = instances as [Instance, Instance];
        const reader = await listen(one, one);
        const health = () => fetch(`${one.address}/api/health`).then(({ status }) => status);
        redis.freeze();
        try {
          await create(two, 'unheard');
          await expect.poll(health, { timeout: 30_000 }).toBe(503);
        } finally {
          redis.thaw();
        }
        await expect.poll(health, { timeout: 30_000 }).toBe(200);
        await create(two, 'heard');
        const heard = await heardOf(reader, 2);
        expect(heard.map(({ record }) => record.title)).toEqual(['unheard', 'heard']);
        reader.close();
      });

    it('SCALE-25 SCALE-26 one that differs from the others, or keeps files for itself, is refused by name', async () => {
      const refusal = async (...flags: readonly string[]) => {
        const { code, stderr } = await new RoostProcess(
          ['serve', '--http=127.0.0.1:0', `--dir=${parent}/data${++started}`, ...flags],
          { cwd: parent, env },
        ).finished();
        expect(code).toBe(1);
        return stderr;
      };
      expect(await refusal('--sharedStorage', '--origins=https://example.com')).toMatch(/^Error: .*--origins/);
      expect(await refusal()).toMatch(/^Error: .*--sharedStorage/);
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
