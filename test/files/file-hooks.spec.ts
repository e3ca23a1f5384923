import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import {
  BeforeFileDownload,
  BeforeFileToken,
  type FileDownloadEvent,
  type FileTokenEvent,
} from '../../src/files/file.hooks.js';
import type { Upload } from '../../src/kernel/files/upload.js';
import { BeforeRecordCreate, type RecordCreateEvent } from '../../src/records/record.hooks.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS, textFile } from './file-collections.js';

/** Does what the test at hand wants. */
@Injectable()
class FileHooks {
  onDownload: (event: FileDownloadEvent) => void = () => {};
  onCreate: (uploads: readonly Upload[]) => void = () => {};
  onToken: (event: FileTokenEvent) => void = () => {};

  @BeforeFileDownload('open')
  download(event: FileDownloadEvent): void {
    this.onDownload(event);
  }

  @BeforeRecordCreate('open')
  create({ record }: RecordCreateEvent): void {
    this.onCreate(record.uploads('cover'));
  }

  @BeforeFileToken()
  token(event: FileTokenEvent): void {
    this.onToken(event);
  }
}

let roost: TestRoost;
let hooks: FileHooks;

beforeAll(async () => {
  roost = await startRoost({ imports: [{ module: class FileHooksModule {}, providers: [FileHooks] }] });
  await roost.createSuperuser();
  await roost.createCollections(...FILE_COLLECTIONS);
  hooks = roost.app.get(FileHooks, { strict: false });
});

afterAll(() => roost?.close());

beforeEach(() => {
  hooks.onDownload = () => {};
  hooks.onToken = () => {};
});
afterEach(() => vi.restoreAllMocks());

it('FS-75 a handler sees what is sent, and may add and change headers', async () => {
  const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
  const seen: FileDownloadEvent[] = [];
  hooks.onDownload = (event) => {
    seen.push({ ...event });
    event.headers['x-seen'] = 'yes';
    event.headers['cache-control'] = 'no-store';
    event.name = 'renamed.txt';
  };
  const { headers, status, text } = await roost.inject({ url: `/api/files/open/${record.id}/${record.cover}` });
  expect([status, text]).toEqual([200, 'content of a.txt']);
  expect(headers).toMatchObject({
    'x-seen': 'yes',
    'cache-control': 'no-store',
    'content-disposition': 'attachment; filename=renamed.txt',
  });
  const [event] = seen;
  expect([event.collection.name, event.record.id, event.field.name, event.name, event.thumbError]).toEqual([
    'open',
    record.id,
    'cover',
    record.cover,
    null,
  ]);
  expect(event.key).toBe(`${record.collectionId}/${record.id}/${record.cover}`);
});

it('FS-75 a handler may send another file', async () => {
  const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt'), secret: textFile('s.txt', 'other') });
  hooks.onDownload = (event) => {
    event.key = event.key.replace(record.cover, record.secret);
  };
  const url = `/api/files/open/${record.id}/${record.cover}`;
  expect((await roost.inject({ url })).text).toBe('other');
  hooks.onDownload = (event) => {
    event.key += '.none';
  };
  expect((await roost.inject({ url })).status).toBe(404);
});

it('FS-75 a handler may refuse, and nobody asks it about files one may not have', async () => {
  const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt'), secret: textFile('s.txt') });
  let asked = 0;
  hooks.onDownload = () => {
    asked++;
    throw new ForbiddenError('Not today.');
  };
  const answer = await roost.inject({ url: `/api/files/open/${record.id}/${record.cover}` });
  expect([answer.status, answer.body.message, answer.headers['cache-control']]).toEqual([
    403,
    'Not today.',
    'no-store',
  ]);
  expect((await roost.inject({ url: `/api/files/open/${record.id}/${record.secret}` })).status).toBe(404);
  expect(asked).toBe(1);
});

it('FS-75 a handler is told why there is no thumbnail', async () => {
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
  const folder = join(roost.dir, 'storage', record.collectionId, record.id);
  await writeFile(join(folder, `${record.cover}.attrs`), '{"user.content_type":"image/png"}');
  const errors: unknown[] = [];
  hooks.onDownload = ({ thumbError }) => errors.push(thumbError);
  await roost.inject({ url: `/api/files/open/${record.id}/${record.cover}?thumb=100x100` });
  expect(errors).toEqual([expect.any(Error)]);
});

it('FS-28 a handler of a write sees names and size of a new file', async () => {
  const seen: unknown[] = [];
  hooks.onCreate = (uploads) =>
    seen.push(...uploads.map(({ name, originalName, size }) => ({ name, originalName, size })));
  const record = await createWithFiles(roost, 'open', { cover: textFile('My File.txt', 'hello') });
  hooks.onCreate = () => {};
  expect(seen).toEqual([{ name: record.cover, originalName: 'My File.txt', size: 5 }]);
});

it('FS-93 a handler may replace or refuse a file token', async () => {
  const token = await roost.signIn('_superusers', 'root@example.com');
  hooks.onToken = (event) => {
    expect(event.record.get('email')).toBe('root@example.com');
    event.token = 'another';
  };
  expect((await roost.inject({ method: 'POST', url: '/api/files/token', token })).body).toEqual({ token: 'another' });
  hooks.onToken = () => {
    throw new ForbiddenError();
  };
  expect((await roost.inject({ method: 'POST', url: '/api/files/token', token })).status).toBe(403);
});
