import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { FileRemovals } from '../../src/storage/file-removals.js';
import type { TestRoost } from '../../src/testing/index.js';
import { BeforeRecordCreate, BeforeRecordUpdate, type RecordCreateEvent } from '../../src/records/record.hooks.js';
import { MULTIPART_TYPE } from '../support/multipart.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS, sendFiles, textFile } from './file-collections.js';

/** Refuses records of this title, after their files have been stored. */
@Injectable()
class Refusals {
  @BeforeRecordCreate('open')
  @BeforeRecordUpdate('open')
  refuse({ record }: RecordCreateEvent): void {
    if (record.get('title') === 'refused by a hook') throw new BadRequestError();
  }
}

let roost: TestRoost;
let superuser: string;
let removals: FileRemovals;
let open: string;

beforeAll(async () => {
  roost = await startRoost({ imports: [{ module: class RefusalsModule {}, providers: [Refusals] }] });
  superuser = await roost.createSuperuser();
  await roost.createCollections(...FILE_COLLECTIONS, {
    name: 'plain',
    type: 'base',
    createRule: '',
    deleteRule: '',
    fields: [{ name: 'title', type: 'text' }],
  });
  await roost.inject({ method: 'PATCH', url: '/api/settings', token: superuser, body: { batch: { enabled: true } } });
  removals = roost.app.get(FileRemovals, { strict: false });
  open = (await roost.inject({ url: '/api/collections/open', token: superuser })).body.id;
});

afterAll(() => roost?.close());
afterEach(() => vi.restoreAllMocks());

const root = () => join(roost.dir, 'storage');

/** Files on disk below a folder of the storage, without sidecars. */
async function stored(folder = ''): Promise<string[]> {
  const entries = await readdir(join(root(), folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.attrs'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root().length + 1))
    .sort();
}

const temporary = () => readdir(join(roost.dir, '.temp'));
const recordUrl = (id: string) => `/api/collections/open/records/${id}`;

async function settled(): Promise<void> {
  await removals.idle();
  const deadline = Date.now() + 2000;
  // The request's own files are removed right after its answer.
  while ((await temporary()).length > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('uploads', () => {
  it('FS-5 FS-30 are stored under the ids of collection and record, with what was known about them', async () => {
    const record = await createWithFiles(roost, 'open', {
      title: 'a',
      cover: textFile('My Cover.txt', 'cover'),
      docs: [textFile('1.txt'), textFile('2.txt')],
    });
    expect(record.cover).toMatch(/^my_cover_[a-z0-9]{10}\.txt$/);
    expect(record.docs).toHaveLength(2);
    const folder = `${open}/${record.id}`;
    expect(await stored(folder)).toEqual([record.cover, ...record.docs].map((name) => `${folder}/${name}`).sort());
    expect(await readFile(join(root(), folder, record.cover), 'utf8')).toBe('cover');
    expect(JSON.parse(await readFile(join(root(), folder, `${record.cover}.attrs`), 'utf8'))).toMatchObject({
      'user.content_type': 'text/plain; charset=utf-8',
      'user.metadata': { 'original-filename': 'My Cover.txt' },
    });
    expect((await stat(join(root(), folder, record.cover))).mode & 0o777).toBe(0o600);
    await settled();
    expect(await temporary()).toEqual([]);
  });

  it('FS-22 FS-34 leave nothing when the record is refused', async () => {
    const before = await stored();
    const refused: Parameters<typeof sendFiles>[3][] = [
      { title: 'refused by a hook', cover: textFile('a.txt') },
      { docs: Array.from({ length: 6 }, (_, index) => textFile(`${index}.txt`)) },
      { cover: textFile('a.txt'), docs: 'not_a_file_of_this_record.txt' },
      { cover: textFile('a.txt'), '@jsonPayload': '{' },
    ];
    for (const values of refused) {
      const response = await sendFiles(roost, 'POST', '/api/collections/open/records', values);
      expect(response.status).toBe(400);
    }
    const closed = await sendFiles(roost, 'POST', '/api/collections/users/records', {
      email: 'x',
      avatar: textFile('a.txt'),
    });
    expect(closed.status).toBe(400);
    await settled();
    expect([await stored(), await temporary()]).toEqual([before, []]);
  });

  it('FS-16 a file that is too large is told, not stored, and not a 413', async () => {
    await roost.createCollections({
      name: 'small',
      type: 'base',
      createRule: '',
      fields: [{ name: 'f', type: 'file', maxSize: 10 }],
    });
    const fits = await createWithFiles(roost, 'small', { f: textFile('a.txt', 'x'.repeat(10)) });
    expect(fits.f).not.toBe('');
    const response = await sendFiles(roost, 'POST', '/api/collections/small/records', {
      f: textFile('a.txt', 'x'.repeat(500_000)),
    });
    expect([response.status, response.body.data.f.code]).toEqual([400, 'validation_file_size_limit']);
    await settled();
    expect(await stored(fits.collectionId)).toHaveLength(1);
  });

  it('FS-16 BODY-7 files for other fields are ignored', async () => {
    const record = await createWithFiles(roost, 'open', {
      title: textFile('t.txt'),
      nothing: textFile('n.txt'),
      cover: textFile('c.txt'),
    });
    expect([record.title, record.nothing]).toEqual(['', undefined]);
    expect(await stored(`${open}/${record.id}`)).toEqual([`${open}/${record.id}/${record.cover}`]);
  });

  it('FS-34 a storage that fails is a 500, and nothing stays', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const before = await roost.inject({ url: '/api/collections/open/records?perPage=1', token: superuser });
    await rm(join(root(), open), { recursive: true, force: true });
    await writeFile(join(root(), open), 'a file where the folder of the collection should be');
    try {
      const response = await sendFiles(roost, 'POST', '/api/collections/open/records', { cover: textFile('a.txt') });
      expect([response.status, response.body.data]).toEqual([500, {}]);
    } finally {
      await rm(join(root(), open));
    }
    const after = await roost.inject({ url: '/api/collections/open/records?perPage=1', token: superuser });
    expect(after.body.totalItems).toBe(before.body.totalItems);
    await settled();
    expect(await temporary()).toEqual([]);
  });
});

it('FS-21 what needs no body is refused before the body has come', async () => {
  const origin = await roost.listen();
  const ask = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': MULTIPART_TYPE, 'content-length': '100000000' };
      const request = httpRequest(origin + path, { method: 'POST', headers, agent: false });
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject).write('--');
    });
  const closed = [{ name: 'shut', type: 'base', createRule: null, fields: [{ name: 'f', type: 'file' }] }];
  await roost.createCollections(...closed);
  expect(await ask('/api/collections/shut/records')).toBe(403);
  expect(await ask('/api/collections/nowhere/records')).toBe(404);
  await roost.inject({ method: 'PATCH', url: '/api/settings', token: superuser, body: { batch: { enabled: false } } });
  expect(await ask('/api/batch')).toBe(403);
  await roost.inject({ method: 'PATCH', url: '/api/settings', token: superuser, body: { batch: { enabled: true } } });
  expect(await temporary()).toEqual([]);
});

describe('changes', () => {
  it('FS-6 FILE-2 FILE-3 replaced and removed files go after the change, with their thumbnails; kept ones stay', async () => {
    const record = await createWithFiles(roost, 'open', {
      cover: textFile('a.txt'),
      docs: [textFile('1.txt'), textFile('2.txt')],
    });
    const folder = `${open}/${record.id}`;
    await mkdir(join(root(), folder, `thumbs_${record.cover}`));
    await writeFile(join(root(), folder, `thumbs_${record.cover}`, `100x100_${record.cover}`), 'thumb');
    const [first, second] = record.docs;
    const response = await sendFiles(roost, 'PATCH', recordUrl(record.id), {
      cover: textFile('b.txt'),
      'docs-': first,
      'docs+': textFile('3.txt'),
    });
    expect(response.status).toBe(200);
    const { cover, docs } = response.body;
    expect(docs).toEqual([second, expect.stringMatching(/^3/)]);
    await settled();
    expect(await stored(folder)).toEqual([cover, ...docs].map((name) => `${folder}/${name}`).sort());
    expect(
      (await roost.inject({ method: 'PATCH', url: recordUrl(record.id), body: { cover: '', docs: [] } })).status,
    ).toBe(200);
    await settled();
    expect(await stored(folder)).toEqual([]);
  });

  it('FS-34 an update that is refused keeps the old files and not the new ones', async () => {
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const values = { title: 'refused by a hook', cover: textFile('b.txt') };
    expect((await sendFiles(roost, 'PATCH', recordUrl(record.id), values)).status).toBe(400);
    await settled();
    expect(await stored(`${open}/${record.id}`)).toEqual([`${open}/${record.id}/${record.cover}`]);
  });

  it('FILE-3 a name that is a path never reaches the storage', async () => {
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const neighbour = await createWithFiles(roost, 'open', { cover: textFile('b.txt') });
    const database = roost.app.get(Database, { strict: false });
    const path = `../${neighbour.id}/${neighbour.cover}`;
    await database.run({
      sql: 'UPDATE "open" SET "cover" = ? WHERE "id" = ?',
      params: [path, record.id],
      writes: ['open'],
    });
    expect((await roost.inject({ method: 'PATCH', url: recordUrl(record.id), body: { cover: '' } })).status).toBe(200);
    await settled();
    expect(await stored(`${open}/${neighbour.id}`)).toHaveLength(1);
  });

  it('FS-36 a deleted record takes its folder along, and its neighbours stay', async () => {
    const [gone, stays] = [
      await createWithFiles(roost, 'open', { cover: textFile('a.txt'), docs: [textFile('1.txt')] }),
      await createWithFiles(roost, 'open', { cover: textFile('a.txt') }),
    ];
    expect((await roost.inject({ method: 'DELETE', url: recordUrl(gone.id) })).status).toBe(204);
    await settled();
    expect(await stored(`${open}/${gone.id}`)).toEqual([]);
    expect(await stored(`${open}/${stays.id}`)).toHaveLength(1);
  });

  it('FS-36 a record without file fields has nothing to remove', async () => {
    const remove = vi.spyOn(removals, 'add');
    const { body } = await roost.inject({
      method: 'POST',
      url: '/api/collections/plain/records',
      body: { title: 'a' },
    });
    expect((await roost.inject({ method: 'DELETE', url: `/api/collections/plain/records/${body.id}` })).status).toBe(
      204,
    );
    expect(remove).not.toHaveBeenCalled();
  });

  it('FS-38 deletions wait while the files are being read', async () => {
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    const release = await removals.suspend();
    await roost.inject({ method: 'DELETE', url: recordUrl(record.id) });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await stored(`${open}/${record.id}`)).toHaveLength(1);
    release();
    await settled();
    expect(await stored(`${open}/${record.id}`)).toEqual([]);
  });

  it('FS-36 truncating removes the files of every record, deleting the collection all that is left', async () => {
    await roost.createCollections({
      name: 'passing',
      type: 'base',
      createRule: '',
      fields: [{ name: 'f', type: 'file' }],
    });
    const first = await createWithFiles(roost, 'passing', { f: textFile('a.txt') });
    await createWithFiles(roost, 'passing', { f: textFile('b.txt') });
    await roost.inject({ method: 'DELETE', url: '/api/collections/passing/truncate', token: superuser });
    await settled();
    expect(await stored(first.collectionId)).toEqual([]);
    await createWithFiles(roost, 'passing', { f: textFile('c.txt') });
    expect((await roost.inject({ method: 'DELETE', url: '/api/collections/passing', token: superuser })).status).toBe(
      204,
    );
    await settled();
    expect(await stored(first.collectionId)).toEqual([]);
  });

  it('FS-37 removing a file field leaves its files on storage, out of reach', async () => {
    const fields = [
      { name: 'f', type: 'file' },
      { name: 'g', type: 'file' },
    ];
    await roost.createCollections({ name: 'shrinking', type: 'base', viewRule: '', createRule: '', fields });
    const record = await createWithFiles(roost, 'shrinking', { f: textFile('a.txt'), g: textFile('b.txt') });
    const url = `/api/files/shrinking/${record.id}/${record.g}`;
    expect((await roost.inject({ url })).status).toBe(200);
    const { body } = await roost.inject({ url: '/api/collections/shrinking', token: superuser });
    const kept = body.fields.filter((field: { name: string }) => field.name !== 'g');
    const changed = await roost.inject({
      method: 'PATCH',
      url: '/api/collections/shrinking',
      token: superuser,
      body: { fields: kept },
    });
    expect(changed.status).toBe(200);
    expect((await roost.inject({ url })).status).toBe(404);
    expect(await stored(record.collectionId)).toHaveLength(2);
  });

  it('FS-30 renaming a collection moves no file', async () => {
    await roost.createCollections({
      name: 'before',
      type: 'base',
      viewRule: '',
      createRule: '',
      fields: [{ name: 'f', type: 'file' }],
    });
    const record = await createWithFiles(roost, 'before', { f: textFile('a.txt') });
    await roost.inject({ method: 'PATCH', url: '/api/collections/before', token: superuser, body: { name: 'after' } });
    expect((await roost.inject({ url: `/api/files/after/${record.id}/${record.f}` })).text).toBe('content of a.txt');
    expect(await stored(record.collectionId)).toEqual([`${record.collectionId}/${record.id}/${record.f}`]);
  });
});

describe('batches', () => {
  const payload = (requests: unknown) => JSON.stringify({ requests });
  const create = { method: 'POST', url: '/api/collections/open/records', body: {} };

  it('BAT-4 store the files of each item, under either spelling of its key', async () => {
    const response = await sendFiles(roost, 'POST', '/api/batch', {
      '@jsonPayload': payload([create, create]),
      'requests.0.cover': textFile('a.txt', 'first'),
      'requests[1].docs': [textFile('b.txt', 'second'), textFile('c.txt', 'third')],
      'requests.7.cover': textFile('nobody.txt'),
    });
    expect(response.status).toBe(200);
    const [first, second] = response.body.map((item: { body: unknown }) => item.body);
    expect((await roost.inject({ url: `/api/files/open/${first.id}/${first.cover}` })).text).toBe('first');
    expect(second.docs).toHaveLength(2);
    await settled();
    expect(await temporary()).toEqual([]);
  });

  it('BAT-13 FS-34 that fail leave no file of any item and delete none', async () => {
    const old = await createWithFiles(roost, 'open', { cover: textFile('old.txt') });
    const before = await stored();
    const response = await sendFiles(roost, 'POST', '/api/batch', {
      '@jsonPayload': payload([
        create,
        { method: 'PATCH', url: `/api/collections/open/records/${old.id}`, body: { cover: '' } },
        { method: 'DELETE', url: `/api/collections/open/records/${old.id}` },
        { method: 'POST', url: '/api/collections/nowhere/records', body: {} },
      ]),
      'requests.0.cover': textFile('a.txt'),
      'requests.0.docs': textFile('b.txt'),
    });
    expect(response.status).toBe(400);
    await settled();
    expect([await stored(), await temporary()]).toEqual([before, []]);
  });

  it('BAT-13 a record deleted and made again in one batch has its new file only', async () => {
    const old = await createWithFiles(roost, 'open', { cover: textFile('old.txt') });
    const response = await sendFiles(roost, 'POST', '/api/batch', {
      '@jsonPayload': payload([
        { method: 'DELETE', url: `/api/collections/open/records/${old.id}` },
        { method: 'PUT', url: '/api/collections/open/records', body: { id: old.id } },
      ]),
      'requests.1.cover': textFile('new.txt', 'new'),
    });
    expect(response.status).toBe(200);
    await settled();
    const { cover } = response.body[1].body;
    expect(await stored(`${open}/${old.id}`)).toEqual([`${open}/${old.id}/${cover}`]);
    expect((await roost.inject({ url: `/api/files/open/${old.id}/${cover}` })).text).toBe('new');
  });
});
