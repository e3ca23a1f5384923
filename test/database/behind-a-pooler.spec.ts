import { Logger } from '@nestjs/common';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataDirectoryError } from '../../src/database/data-directory.error.js';
import { Database } from '../../src/database/database.js';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { WholeCopy } from '../../src/transfer/whole-copy.js';
import { Listener } from '../realtime/listener.js';
import { Pooler } from '../support/pooler.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';
import { vacuumedOf } from '../transfer/support/vacuumed.js';

const canRun = PostgresCluster.programs !== undefined && Pooler.isInstalled;

describe.skipIf(!canRun)('SCALE-18 an application behind a pooler in transaction mode', () => {
  let cluster: PostgresCluster;
  let pooler: Pooler;
  let directUrl: string;
  let roost: TestRoost;
  let token: string;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    pooler = await Pooler.start(cluster, { sessions: 3 });
    directUrl = await cluster.newDatabase();
    roost = await start();
    token = await roost.createSuperuser();
    await roost.createCollections({
      name: 'posts',
      type: 'base',
      listRule: '',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'views', type: 'number' },
      ],
    });
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch: { enabled: true } } });
  });
  afterAll(async () => {
    await roost.close();
    await pooler.stop();
    await cluster.stop();
  });

  const start = (config: Readonly<Record<string, string>> = {}): Promise<TestRoost> =>
    startRoost({
      config: { DATABASE_URL: pooler.through(directUrl), DATABASE_DIRECT_URL: directUrl, ...config },
    });
  const posts = '/api/collections/posts/records';
  const send = (method: 'POST' | 'PATCH', url: string, body: unknown): Promise<TestResponse> =>
    roost.inject({ method, url, token, body });

  it('serves many at once, over few sessions', async () => {
    const listener = await Listener.to(roost, ['posts/*']);
    const { id } = (await send('POST', posts, { title: 'counted' })).body as { id: string };
    const requests = [
      { method: 'PATCH', url: `${posts}/${id}`, body: { 'views+': 1 } },
      { method: 'POST', url: posts, body: { title: 'more' } },
    ];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 2 === 0
          ? send('POST', '/api/batch', { requests })
          : roost.inject({ url: `${posts}?filter=${encodeURIComponent(`views >= 0 && title != '${index}'`)}` }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await roost.inject({ url: `${posts}?filter=${encodeURIComponent('views = 30')}` })).body.totalItems).toBe(
      1,
    );
    expect(await listener.receive(61)).toHaveLength(61);
  });

  it('hears of what another process has changed', async () => {
    const other = await start();
    try {
      await other.createCollections({ name: 'made_elsewhere', type: 'base', listRule: '' });
      const url = '/api/collections/made_elsewhere/records';
      await expect.poll(async () => (await roost.inject({ url })).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('cuts off what takes too long, alone and in a transaction, and leaves the sessions to others as they were', async () => {
    const limited = await start({ ROOST_QUERY_TIMEOUT: '0.2' });
    try {
      const database = limited.app.get(Database, { strict: false });
      const slow = { sql: 'SELECT pg_sleep(600)', params: [] };
      await expect(database.all(slow)).rejects.toBeInstanceOf(BadRequestError);
      await expect(database.transaction(() => database.all(slow))).rejects.toBeInstanceOf(BadRequestError);
    } finally {
      await limited.close();
    }
    const own = roost.app.get(Database, { strict: false });
    const limits = await Promise.all(
      Array.from({ length: 10 }, () =>
        own.get<{ is: string }>({ sql: "SELECT current_setting('statement_timeout') AS is", params: [] }),
      ),
    );
    expect(new Set(limits.map((row) => row!.is))).toEqual(new Set(['30s']));
    const client = new pg.Client({ connectionString: pooler.through(directUrl) });
    await client.connect();
    expect((await client.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
    await client.end();
  });

  it('BAT-12 stops the statement of a transaction whose time is over', async () => {
    const database = roost.app.get(Database, { strict: false });
    const controller = new AbortController();
    const work = database.transaction(
      async () => {
        const sleeping = database.all({ sql: 'SELECT pg_sleep(601)', params: [] });
        setTimeout(() => controller.abort(new Error('too late')), 100);
        await sleeping;
      },
      { deadline: controller.signal },
    );
    await expect(work).rejects.toThrow('too late');
    const asleep = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(601)%' AND pid <> pg_backend_pid()";
    await expect.poll(() => database.all({ sql: asleep, params: [] })).toEqual([]);
  });

  it('SCALE-14 SCALE-15 is backed up, restored and copied, and its tables are vacuumed', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, at) => send('POST', posts, { title: `kept ${at}` })));
    const all = { url: `${posts}?perPage=500` };
    const before = (await roost.inject(all)).body.items;
    expect((await send('POST', '/api/backups', { name: 'all.zip' })).text).toBe('');
    const target = await cluster.newDatabase();
    const copy = roost.app.get(WholeCopy, { strict: false });
    const { collections } = await copy.to({ url: target }, { logs: true });
    expect(collections).toContainEqual(expect.objectContaining({ name: 'posts', records: before.length }));
    expect(await vacuumedOf(target, ['posts', 'users'])).toEqual(['posts']);
    await expect(copy.to({ url: directUrl }, { logs: true })).rejects.toThrow('the same database');
    await expect(copy.to({ url: pooler.through(directUrl) }, { logs: true })).rejects.toThrow('the same database');
    expect((await send('POST', '/api/backups/all.zip/restore', {})).text).toBe('');
    const health = { url: '/api/health', token };
    await expect
      .poll(async () => (await roost.inject(health)).body.data?.lastRestore)
      .toMatchObject({ outcome: 'restored', reason: '' });
    expect(await vacuumedOf(directUrl, ['posts'])).toEqual(['posts']);
    expect((await roost.inject(all)).body.items).toEqual(before);
  });

  it('SCALE-14 is copied through a pooler that takes whatever connections say, and vacuumed there', async () => {
    const lenient = await Pooler.start(cluster, { sessions: 2, ignores: 'statement_timeout,lock_timeout' });
    const warn = vi.spyOn(Logger.prototype, 'warn');
    try {
      await send('POST', posts, { title: 'moved' });
      const target = await cluster.newDatabase();
      await roost.app.get(WholeCopy, { strict: false }).to({ url: lenient.through(target) }, { logs: false });
      expect(await vacuumedOf(target, ['posts'])).toEqual(['posts']);
      expect(warn).not.toHaveBeenCalled();
    } finally {
      warn.mockRestore();
      await lenient.stop();
    }
  });

  it.each([
    [
      'without the address of the database',
      () => ({ DATABASE_DIRECT_URL: '' }),
      /DATABASE_DIRECT_URL has to lead past/,
    ],
    [
      'with an address where nobody is',
      () => ({ DATABASE_DIRECT_URL: directUrl.replace(/:\d+\//, ':1/') }),
      /DATABASE_DIRECT_URL cannot be used: .*ECONNREFUSED/,
    ],
    [
      'with the address of another database',
      () => ({ DATABASE_DIRECT_URL: directUrl.replace(/[^/]+$/, 'postgres') }),
      /DATABASE_DIRECT_URL leads to another database/,
    ],
  ])('does not start %s, and says why', async (_name, config, reason) => {
    const error: unknown = await start(config()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DataDirectoryError);
    expect((error as Error).message).toMatch(reason);
  });
});
