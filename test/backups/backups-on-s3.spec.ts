import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackupsService } from '../../src/backups/backups.service.js';
import { CronsService } from '../../src/crons/crons.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { answerS3Error, S3Server } from '../support/s3-server.js';
import { entriesOf, writeArchive } from './support/archives.js';
import { restoresAtOnce } from './support/at-once.js';

let roost: TestRoost;
let token: string;
let store: S3Server;

beforeEach(async () => {
  store = await S3Server.open('backups');
  roost = await startRoost({ override: restoresAtOnce });
  token = await roost.createSuperuser();
  await settings({ backups: { s3: store.settings({ bucket: 'backups' }) } });
  await roost.createCollections({
    name: 'docs',
    type: 'base',
    listRule: '',
    fields: [{ name: 'title', type: 'text' }],
  });
});
afterEach(async () => {
  await roost.close();
  await store.close();
});

const settings = async (body: object) =>
  expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body })).status).toBe(200);
const create = (name?: string) => roost.inject({ method: 'POST', url: '/api/backups', token, body: { name } });
const list = async () => (await roost.inject({ url: '/api/backups', token })).body as { key: string; size: number }[];
const keys = async () => (await list()).map(({ key }) => key);
const add = (title: string) =>
  roost.inject({ method: 'POST', url: '/api/collections/docs/records', token, body: { title } });
const titles = async () =>
  (await roost.inject({ url: '/api/collections/docs/records?sort=title' })).body.items.map(
    ({ title }: { title: string }) => title,
  ) as string[];

async function restore(key: string): Promise<void> {
  expect((await roost.inject({ method: 'POST', url: `/api/backups/${key}/restore`, token })).status).toBe(204);
  await roost.app.get(BackupsService, { strict: false }).idle();
}

describe('backups in a bucket', () => {
  it('OPS-101 OPS-103 are made, listed, fetched, restored and deleted there, and nothing is kept here', async () => {
    await add('first');
    expect((await create('b.zip')).status).toBe(204);
    expect((await create('a.zip')).status).toBe(204);
    expect(await create('a.zip')).toMatchObject({
      status: 400,
      body: { data: { name: { code: 'validation_backup_name_exists' } } },
    });
    const [{ key, size }] = (await list()) as [{ key: string; size: number }];
    expect([key, await keys()]).toEqual(['a.zip', ['a.zip', 'b.zip']]);
    expect(existsSync(join(roost.dir, 'backups'))).toBe(false);
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);

    const fileToken = (await roost.inject({ method: 'POST', url: '/api/files/token', token })).body.token as string;
    const url = `/api/backups/a.zip?token=${fileToken}`;
    const whole = await roost.inject({ url });
    expect([whole.status, whole.raw.length, whole.headers['content-type']]).toEqual([200, size, 'application/zip']);
    const part = await roost.inject({ url, headers: { range: 'bytes=2-5' } });
    expect([part.status, part.raw]).toEqual([206, whole.raw.subarray(2, 6)]);

    await add('second');
    await restore('a.zip');
    expect(await titles()).toEqual(['first']);
    const remove = (name: string) => roost.inject({ method: 'DELETE', url: `/api/backups/${name}`, token });
    expect([(await remove('a.zip')).status, (await remove('a.zip')).status]).toEqual([204, 400]);
    expect((await roost.inject({ url })).status).toBe(404);
    expect(await keys()).toEqual(['b.zip']);
  });

  it('OPS-101 OPS-103 are listed alone, whatever else is in the bucket', async () => {
    await create('a.zip');
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => store.put('backups', `other/things/${index}.zip`, 'something else')),
    );
    store.requests.length = 0;
    expect(await keys()).toEqual(['a.zip']);
    expect(store.requests.map(({ url }) => url)).toEqual([expect.stringMatching(/[?&]delimiter=%2F/)]);
  });

  it('OPS-104a a restore looks at a part of the archive first, and refuses what cannot be restored', async () => {
    await add('kept');
    await create('a.zip');
    const fileToken = (await roost.inject({ method: 'POST', url: '/api/files/token', token })).body.token as string;
    const path = join(roost.dir, 'fetched.zip');
    writeFileSync(path, (await roost.inject({ url: `/api/backups/a.zip?token=${fileToken}` })).raw);
    const entries = await entriesOf(path);
    // What nobody looks at must not be fetched.
    entries.set('storage/c/r/large', randomBytes(4 * 1024 * 1024));
    const without = new Map([...entries].filter(([name]) => name !== 'data.db'));
    for (const [key, content] of Object.entries({ 'b.zip': without, 'c.zip': entries })) {
      await writeArchive(path, content);
      const form = new FormData();
      form.set('file', new File([readFileSync(path)], key, { type: 'application/zip' }));
      const upload = await roost.inject({ method: 'POST', url: '/api/backups/upload', token, body: form });
      expect([upload.status, upload.text]).toEqual([204, '']);
    }
    store.requests.length = 0;
    const refused = await roost.inject({ method: 'POST', url: '/api/backups/b.zip/restore', token });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('no data.db')]);
    const fetched = store.requests.flatMap(({ method, headers }) => (method === 'GET' ? [headers.range ?? 'all'] : []));
    const bytes = fetched.map((range) => /^bytes=(\d+)-(\d+)$/.exec(range)!.slice(1).map(Number) as [number, number]);
    expect(bytes.reduce((sum, [start, end]) => sum + end - start + 1, 0)).toBeLessThan(2 * 1024 * 1024);
    expect([await titles(), readdirSync(join(roost.dir, '.temp'))]).toEqual([['kept'], []]);
    await add('more');
    await restore('c.zip');
    expect(await titles()).toEqual(['kept']);
  });

  it('OPS-101 OPS-107 are made there by the schedule, and only the newest of those are kept', async () => {
    await create('mine.zip');
    await settings({ backups: { cron: '@daily', cronMaxKeep: 1 } });
    for (let count = 0; count < 2; count++) {
      roost.clock.advance(1_000);
      await roost.inject({ method: 'POST', url: '/api/crons/__pbAutoBackup__', token });
      await roost.app.get(CronsService, { strict: false }).idle();
    }
    expect(await keys()).toEqual([expect.stringMatching(/^@auto_roost_backup_acme_\d{14}\.zip$/), 'mine.zip']);
    expect(existsSync(join(roost.dir, 'backups'))).toBe(false);
  });

  it('OPS-105 a restore whose download breaks off leaves the data as it is', async () => {
    await add('first');
    await create('a.zip');
    await add('second');
    store.interfere = ({ method, headers }, response) => {
      // Parts of it are looked at before anything is promised.
      if (method !== 'GET' || headers.range) return false;
      response.writeHead(200, { 'content-type': 'application/zip', 'content-length': '100000' });
      response.write('PK', () => response.destroy());
      return true;
    };
    await restore('a.zip');
    expect(await titles()).toEqual(['first', 'second']);
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);
    store.interfere = () => false;
    expect((await add('third')).status).toBe(200);
    await restore('a.zip');
    expect(await titles()).toEqual(['first']);
  });

  it('OPS-103 OPS-106 a store that refuses is told of, and leaves nothing behind', async () => {
    store.interfere = ({ method }, response) => {
      if (method === 'GET' || method === 'HEAD') return false;
      answerS3Error(response, 403, 'AccessDenied', 'Not for you.');
      return true;
    };
    expect(await create('a.zip')).toMatchObject({ status: 400, body: { data: {} } });
    expect(await keys()).toEqual([]);
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);
    store.interfere = (_request, response) => {
      answerS3Error(response, 403, 'AccessDenied', 'Not for you.');
      return true;
    };
    expect(await roost.inject({ url: '/api/backups', token })).toMatchObject({ status: 400, body: { data: {} } });
  });
});
