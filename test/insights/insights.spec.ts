import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FilesService } from '../../src/files/files.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
  await roost.createCollections(
    { name: 'posts', type: 'base', listRule: '', createRule: '', fields: [{ name: 'title', type: 'text' }] },
    { name: 'places', type: 'base', fields: [] },
  );
});
afterAll(() => roost.close());

const see = async () => (await roost.inject({ method: 'GET', url: '/api/insights', token })).body;
const routes = async (): Promise<{ route: string; requests: number; errors: number }[]> => (await see()).routes;

describe('insights', () => {
  it('UI-80 is for superusers', async () => {
    expect((await roost.inject({ method: 'GET', url: '/api/insights' })).status).toBe(401);
  });

  it('UI-80 counts requests and errors by minute and by route, with the names of collections and without ids', async () => {
    const list = '/api/collections/posts/records';
    for (let count = 0; count < 5; count++) await roost.inject({ method: 'GET', url: `${list}?page=${count}` });
    await roost.inject({ method: 'GET', url: `${list}?filter=(` });
    for (const id of ['aaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbb'])
      await roost.inject({ method: 'GET', url: `${list}/${id}` });
    await expect
      .poll(async () => (await routes()).find(({ route }) => route === `GET ${list}`))
      .toMatchObject({
        requests: 6,
        errors: 1,
      });
    const view = (await routes()).filter(({ route }) => route.startsWith(`GET ${list}/`));
    expect(view).toMatchObject([{ requests: 2, errors: 2 }]);
    const { minutes, latency, since } = await see();
    expect(minutes).toHaveLength(60);
    const sum = (name: string) =>
      minutes.reduce((total: number, each: Record<string, number>) => total + each[name]!, 0);
    expect(sum('requests')).toBeGreaterThanOrEqual(8);
    expect(sum('errors')).toBeGreaterThanOrEqual(3);
    expect(latency.p50).toBeGreaterThan(0);
    expect(latency.p99).toBeGreaterThanOrEqual(latency.p95);
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
  });

  it('UI-80 tells sizes, streams and advice', async () => {
    const { sizes, streams, advice } = await see();
    expect(sizes.collections).toContainEqual(expect.objectContaining({ name: 'posts', records: 0, bytes: null }));
    expect(sizes.files).toEqual({ count: 0, bytes: 0, isAll: true });
    expect(sizes.database).toBeGreaterThan(10_000);
    expect(sizes.logs).toBeGreaterThan(1_000);
    expect(streams).toBe(0);
    await Listener.to(roost, ['posts/*']);
    expect((await see()).streams).toBe(1);
    const kinds = advice.map(({ kind, collection }: Record<string, string>) => `${kind} ${collection}`.trim());
    expect(kinds).toContain('publicRule posts');
    expect(kinds).toContain('backup');
    expect(kinds).not.toContain('publicRule places');
  });

  it('UI-80 names the statements that took longest, without values', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({ title: `secret${index}` }));
    for (const body of rows) await roost.inject({ method: 'POST', url: '/api/collections/posts/records', body });
    // So many pairs are more than is read without looking at the clock.
    await roost.createCollections({
      name: 'pairs',
      type: 'view',
      viewQuery: 'SELECT (ROW_NUMBER() OVER ()) AS id, count(*) AS total FROM posts a, posts b WHERE a.title < b.title',
    });
    const url = `/api/collections/pairs/records?filter=${encodeURIComponent('total != 987654')}`;
    expect((await roost.inject({ method: 'GET', url, token })).status).toBe(200);
    const { statements } = await see();
    expect(statements.map(({ sql }: { sql: string }) => sql).join('\n')).toContain('pairs');
    for (const { sql, runs, slowest } of statements) {
      expect(sql).not.toMatch(/secret|987654/);
      expect(runs).toBeGreaterThan(0);
      expect(slowest).toBeGreaterThanOrEqual(0);
    }
  });

  it('UI-80 counts files and their bytes', async () => {
    const other = await startRoost();
    onTestFinished(() => other.close());
    const as = await other.createSuperuser();
    await other.createCollections({
      name: 'docs',
      type: 'base',
      fields: [{ name: 'file', type: 'file', maxSelect: 1 }],
    });
    const file = await other.app.get(FilesService, { strict: false }).write(Buffer.alloc(1234, 'x'), 'x.txt');
    const files = new Map([['file', [file]]]);
    await other.app.get(RecordsService, { strict: false }).create('docs', {}, { files });
    const { sizes } = (await other.inject({ method: 'GET', url: '/api/insights', token: as })).body;
    expect(sizes.files).toMatchObject({ isAll: true });
    expect(sizes.files.count).toBeGreaterThan(0);
    expect(sizes.files.bytes).toBeGreaterThanOrEqual(1234);
  });

  it('UI-80 measures sizes once for all who ask within a minute', async () => {
    const before = (await see()).sizes;
    await roost.createCollections({ name: 'later', type: 'base', fields: [] });
    expect((await see()).sizes).toEqual(before);
  });
});
