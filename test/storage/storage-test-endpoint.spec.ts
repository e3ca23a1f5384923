import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { S3Server } from '../support/s3-server.js';

let roost: TestRoost;
let token: string;
let server: S3Server;

beforeAll(async () => {
  server = await S3Server.open('files', 'backups');
  roost = await startRoost();
  token = await roost.createSuperuser();
});

afterAll(async () => {
  await roost?.close();
  await server?.close();
});

beforeEach(() => {
  server.requests.length = 0;
});

const test = (body: unknown, as = token): Promise<TestResponse> =>
  roost.inject({ method: 'POST', url: '/api/settings/test/s3', token: as, body });

async function set(settings: Record<string, unknown>): Promise<void> {
  const { status } = await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: settings });
  expect(status).toBe(200);
}

it('OPS-12 needs a superuser', async () => {
  expect((await test({ filesystem: 'storage' }, '')).status).toBe(401);
});

it('OPS-12 says which file system is meant', async () => {
  expect((await test({})).body).toMatchObject({ code: 400, data: { filesystem: { code: 'validation_required' } } });
  expect((await test({ filesystem: 'x' })).body).toMatchObject({
    data: { filesystem: { code: 'validation_in_invalid' } },
  });
});

it('OPS-12 S3 that is not enabled cannot be tested', async () => {
  await set({ s3: server.settings({ enabled: false }) });
  expect((await test({ filesystem: 'storage' })).body).toMatchObject({
    code: 400,
    data: {},
    message: expect.stringContaining('not enabled'),
  });
  expect(server.requests).toEqual([]);
});

it('OPS-12 FS-51 writes to the bucket of the stored settings and deletes again, for backups to theirs', async () => {
  await set({ s3: server.settings(), backups: { s3: server.settings({ bucket: 'backups' }) } });
  for (const [filesystem, bucket] of [
    ['storage', 'files'],
    ['backups', 'backups'],
  ]) {
    server.requests.length = 0;
    const response = await test({ filesystem });
    expect([response.status, response.text]).toEqual([204, '']);
    const [put, remove] = server.requests.map(({ method, url }) => `${method} ${url.split('?')[0]}`);
    expect(put).toMatch(new RegExp(`^PUT /${bucket}/roost_settings_test_[a-z0-9]{5}/test\\.txt$`));
    expect(remove).toBe(put.replace('PUT', 'DELETE'));
  }
  expect(await readdir(join(roost.dir, '.temp'))).toEqual([]);
});

it('OPS-12 tells the reason of the store', async () => {
  await set({ s3: server.settings({ bucket: 'none' }) });
  const missing = await test({ filesystem: 'storage' });
  expect(missing.body).toMatchObject({ code: 400, data: {}, message: expect.stringMatching(/bucket does not exist/i) });
  await set({ s3: server.settings({ secret: 'wrong' }) });
  expect((await test({ filesystem: 'storage' })).body.message).toContain('signature does not match');
  await set({ s3: server.settings({ endpoint: 'http://127.0.0.1:1' }) });
  expect((await test({ filesystem: 'storage' })).body.message).toContain('ECONNREFUSED');
});
