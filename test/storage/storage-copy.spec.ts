import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RoostConfig } from '../../src/config/roost-config.js';
import type { StorageCopyProgress } from '../../src/storage/storage-copy.js';
import { StorageCopy } from '../../src/storage/storage-copy.js';
import { StorageService } from '../../src/storage/storage.service.js';
import { newFile } from '../contracts/file-storage.js';
import { FakeSettings } from '../support/fake-settings.js';
import { answerS3Error, S3Server } from '../support/s3-server.js';
import { TestStorage } from './test-storage.js';

let test: TestStorage;
let server: S3Server;
let settings: FakeSettings;
let storage: StorageService;
let copy: StorageCopy;

beforeEach(async () => {
  test = await TestStorage.open();
  server = await S3Server.open('files', 'others');
  settings = new FakeSettings();
  settings.set({ s3: server.settings({ enabled: false }) });
  const config = { dir: test.dir } as RoostConfig;
  storage = new StorageService(config, settings.asService());
  copy = new StorageCopy(storage, settings.asService(), config);
});

afterEach(async () => {
  await storage.s3.close();
  await server.close();
  await test.close();
});

async function put(key: string, content: string): Promise<void> {
  const about = { contentType: 'image/png', originalName: `${key} ü` };
  await storage.local.write(key, await newFile(test.dir, content, about));
}

const contentOf = async (key: string) => text((await storage.open(key))!.stream);
const tempFiles = () => readdir(join(test.dir, '.temp')).catch(() => []);

it('FS-50 switching takes effect with the next call and moves nothing', async () => {
  await put('c/r/a', 'local');
  expect(await contentOf('c/r/a')).toBe('local');
  settings.set({ s3: server.settings() });
  expect(await storage.open('c/r/a')).toBeUndefined();
  await storage.write('c/r/b', await newFile(test.dir, 'in the bucket'));
  expect(await contentOf('c/r/b')).toBe('in the bucket');
  settings.set({ s3: server.settings({ bucket: 'others' }) });
  expect(await storage.open('c/r/b')).toBeUndefined();
  settings.set({ s3: server.settings({ enabled: false }) });
  expect(await contentOf('c/r/a')).toBe('local');
  expect(await storage.open('c/r/b')).toBeUndefined();
});

it('FS-50 copies every file both ways, with what is known about it', async () => {
  await put('c/r/a', 'first');
  await put('c/r/thumbs_a/100x100_a', 'thumb');
  await put('c2/r/b', '');
  expect(await copy.run('s3')).toEqual({ copied: 3, present: 0, bytes: 10, failures: [] });
  settings.set({ s3: server.settings() });
  expect(await contentOf('c/r/thumbs_a/100x100_a')).toBe('thumb');
  expect(await storage.stat('c/r/a')).toMatchObject({ contentType: 'image/png', originalName: 'c/r/a ü', size: 5 });
  await storage.local.deleteFolder('c/');
  expect(await copy.run('local')).toMatchObject({ copied: 2, present: 1, failures: [] });
  settings.set({ s3: server.settings({ enabled: false }) });
  expect(await contentOf('c/r/a')).toBe('first');
  expect(await storage.stat('c/r/a')).toMatchObject({ contentType: 'image/png', originalName: 'c/r/a ü' });
  expect(await tempFiles()).toEqual([]);
});

it('FS-50 run again it copies only what is missing or different', async () => {
  await put('c/r/a', 'first');
  await put('c/r/b', 'second');
  await copy.run('s3');
  await put('c/r/c', 'third');
  await storage.s3.write('c/r/a', await newFile(test.dir, 'other'));
  await storage.s3.write('c/r/b', await newFile(test.dir, 'longer than it was'));
  server.requests.length = 0;
  expect(await copy.run('s3')).toMatchObject({ copied: 3, present: 0 });
  expect(await copy.run('s3')).toMatchObject({ copied: 0, present: 3 });
  expect(server.requests.filter(({ method }) => method === 'PUT')).toHaveLength(3);
  expect(await text((await storage.s3.open('c/r/a'))!.stream)).toBe('first');
});

it('FS-50 can be stopped and goes on where it was', async () => {
  for (let index = 0; index < 60; index++) await put(`c/r/${index}`, String(index));
  const stop = new AbortController();
  let seen: StorageCopyProgress | undefined;
  const onProgress = (progress: StorageCopyProgress) => {
    seen = { ...progress };
    if (progress.copied === 10) stop.abort();
  };
  await expect(copy.run('s3', { onProgress, signal: stop.signal })).rejects.toThrow();
  expect(seen!.copied).toBeLessThan(60);
  const second = await copy.run('s3');
  expect(second.copied + second.present).toBe(60);
  expect(second.present).toBeGreaterThanOrEqual(10);
  expect(await tempFiles()).toEqual([]);
});

it('FS-50 a file that fails is named and does not stop the others', async () => {
  for (const name of ['a', 'b', 'c']) await put(`c/r/${name}`, name);
  server.interfere = ({ method, url = '' }, response) => {
    if (method !== 'PUT' || !url.includes('/c/r/b')) return false;
    answerS3Error(response, 403, 'AccessDenied', 'Not this one.');
    return true;
  };
  expect(await copy.run('s3')).toMatchObject({ copied: 2, failures: [{ key: 'c/r/b', reason: 'Not this one.' }] });
});

it('FS-50 needs to know the bucket', async () => {
  settings.set({ s3: server.settings({ secret: '' }) });
  await expect(copy.run('s3')).rejects.toThrow('not complete');
});

it('FS-50 notices a copy that is not what was sent', async () => {
  await put('c/r/a', 'content');
  server.interfere = (request, response) => {
    if (request.method !== 'PUT') return false;
    request.resume();
    void server.put('files', 'c/r/a', 'damaged').then(() => response.writeHead(200, { etag: '"a tag"' }).end());
    return true;
  };
  const reason = 'The copy is not what was sent.';
  expect(await copy.run('s3')).toMatchObject({ copied: 0, failures: [{ key: 'c/r/a', reason }] });
});
