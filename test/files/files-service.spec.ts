import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FilesService } from '../../src/files/files.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import { FILE_STORAGE } from '../../src/storage/file-storage.js';
import { LocalFileStorage } from '../../src/storage/local-file-storage.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS, textFile } from './file-collections.js';

let roost: TestRoost;
let files: FilesService;
let records: RecordsService;

beforeAll(async () => {
  roost = await startRoost();
  await roost.createCollections(...FILE_COLLECTIONS);
  files = roost.app.get(FilesService, { strict: false });
  records = roost.app.get(RecordsService, { strict: false });
});

afterAll(() => roost?.close());

it('EXT-23 modules write files into records and read them, whatever the rules say', async () => {
  const upload = await files.write(Buffer.from('made by code'), 'Report 1.txt');
  const record = await records.create('closed', {}, { files: new Map([['secret', [upload]]]) });
  const name = record.get('secret') as string;
  expect(name).toMatch(/^report_1_[a-z0-9]{10}\.txt$/);
  const opened = await files.read(record, name);
  expect(opened!.file).toMatchObject({
    contentType: 'text/plain; charset=utf-8',
    originalName: 'Report 1.txt',
    size: 12,
  });
  expect(await text(opened!.stream)).toBe('made by code');
  expect(await files.read(record, 'another.txt')).toBeUndefined();
  expect(await readdir(join(roost.dir, '.temp'))).toEqual([]);
});

it('EXT-23 modules read thumbnails', async () => {
  const image = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const record = await records.create('open', {}, { files: new Map([['cover', [await files.write(image, 'a.png')]]]) });
  const opened = await files.read(record, record.get('cover') as string, { thumb: '100x100' });
  expect(await sharp(await buffer(opened!.stream)).metadata()).toMatchObject({ width: 100 });
});

it('EXT-23 FS-3 modules know the address of a file', async () => {
  const upload = await files.write(Buffer.from('x'), 'a.t#t');
  const record = await records.create('open', {}, { files: new Map([['cover', [upload]]]) });
  const name = record.get('cover') as string;
  const base = `http://localhost:8090/api/files/${record.collection.id}/${record.id}/${encodeURIComponent(name)}`;
  expect(files.url(record, name)).toBe(base);
  expect(files.url(record, name, { thumb: '100x100', token: 'a&b', download: true })).toBe(
    `${base}?thumb=100x100&token=a%26b&download=1`,
  );
  expect((await roost.inject({ url: new URL(files.url(record, name)).pathname })).text).toBe('x');
});

it('EXT-40 another storage can take the place of ours', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'roost-elsewhere-'));
  const storage = new LocalFileStorage(elsewhere);
  const other = await startRoost({ replace: [{ provide: FILE_STORAGE, useValue: storage }] });
  try {
    await other.createCollections(...FILE_COLLECTIONS);
    const record = await createWithFiles(other, 'open', { cover: textFile('a.txt') });
    expect(await readdir(join(elsewhere, record.collectionId, record.id))).toContain(record.cover);
    expect((await other.inject({ url: `/api/files/open/${record.id}/${record.cover}` })).text).toBe('content of a.txt');
    await expect(readdir(join(other.dir, 'storage'))).rejects.toThrow();
  } finally {
    await other.close();
    await rm(elsewhere, { recursive: true, force: true });
  }
});
