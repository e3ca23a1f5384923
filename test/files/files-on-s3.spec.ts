import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { interceptLocalhostDns } from 'fauxqs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FileRemovals } from '../../src/storage/file-removals.js';
import type { FileStorage } from '../../src/storage/file-storage.js';
import { StorageCopy } from '../../src/storage/storage-copy.js';
import { StorageService } from '../../src/storage/storage.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { S3Server } from '../support/s3-server.js';
import { createWithFiles, FILE_COLLECTIONS, sendFiles, textFile } from './file-collections.js';

describe.each([
  ['path style', true],
  ['virtual-host style', false],
])('files in a bucket, %s', (_style, forcePathStyle) => {
  let server: S3Server;
  let roost: TestRoost;
  let superuser: string;
  let restore: () => void;

  beforeAll(async () => {
    restore = interceptLocalhostDns();
    server = await S3Server.open('files');
    roost = await startRoost();
    superuser = await roost.createSuperuser();
    await roost.createCollections(...FILE_COLLECTIONS, {
      name: 'large',
      type: 'base',
      createRule: '',
      fields: [{ name: 'docs', type: 'file', maxSelect: 5, maxSize: 20_000_000 }],
    });
  });

  afterAll(async () => {
    await roost?.close();
    await server?.close();
    restore?.();
  });

  async function use(bucket: boolean): Promise<void> {
    // The store takes what comes before the first dot of a host for a bucket, so a path needs a host without one.
    const endpoint = `http://${forcePathStyle ? 'localhost' : 's3.localhost'}:${server.port}`;
    const s3 = server.settings({ enabled: bucket, forcePathStyle, endpoint });
    const { status } = await roost.inject({ method: 'PATCH', url: '/api/settings', token: superuser, body: { s3 } });
    expect(status).toBe(200);
  }

  const url = (record: { id: string; cover: string }) => `/api/files/open/${record.id}/${record.cover}`;
  const local = () => readdir(join(roost.dir, 'storage'), { recursive: true }).catch(() => []);

  it('FS-95 FS-48 uploads, downloads, makes thumbnails, sends ranges and deletes', async () => {
    await use(true);
    const image = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const record = await createWithFiles(roost, 'open', {
      cover: new File([image as Uint8Array<ArrayBuffer>], 'a.png'),
    });
    expect(await local()).toEqual([]);
    const whole = await roost.inject({ url: url(record) });
    expect([whole.status, whole.raw.equals(image)]).toEqual([200, true]);
    expect(whole.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': String(image.length) });
    const part = await roost.inject({ url: url(record), headers: { range: 'bytes=10-19' } });
    expect([part.status, part.raw.equals(image.subarray(10, 20))]).toEqual([206, true]);
    expect(part.headers['content-range']).toBe(`bytes 10-19/${image.length}`);
    expect(server.requests.some(({ headers }) => headers.range === 'bytes=10-19')).toBe(true);
    const known = await roost.inject({ url: url(record), headers: { 'if-none-match': String(whole.headers.etag) } });
    expect(known.status).toBe(304);
    const thumb = await roost.inject({ url: `${url(record)}?thumb=100x100` });
    expect(await sharp(thumb.raw).metadata()).toMatchObject({ width: 100, height: 100, format: 'png' });
    expect((await roost.inject({ method: 'DELETE', url: `/api/collections/open/records/${record.id}` })).status).toBe(
      204,
    );
    await roost.app.get(FileRemovals, { strict: false }).idle();
    expect(await inBucket()).toEqual([]);
  });

  it('FS-50 FS-95 switching takes effect at once and moves nothing, copying brings the files over', async () => {
    await use(false);
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt', 'local') });
    await use(true);
    expect((await roost.inject({ url: url(record) })).status).toBe(404);
    const copied = await roost.app.get(StorageCopy, { strict: false }).run('s3');
    expect(copied.failures).toEqual([]);
    expect((await roost.inject({ url: url(record) })).text).toBe('local');
    const later = await createWithFiles(roost, 'open', { cover: textFile('b.txt', 'bucket') });
    await use(false);
    expect((await roost.inject({ url: url(later) })).status).toBe(404);
    await roost.app.get(StorageCopy, { strict: false }).run('local');
    expect((await roost.inject({ url: url(later) })).text).toBe('bucket');
  });

  it('FS-34 FS-56 a bucket that cannot be reached is a 500, for reading and for writing', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await use(true);
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt') });
    server.interfere = (_request, response) => {
      response.destroy();
      return true;
    };
    try {
      const read = await roost.inject({ url: url(record) });
      expect([read.status, read.headers['cache-control']]).toEqual([500, 'no-store']);
      await expect(createWithFiles(roost, 'open', { cover: textFile('b.txt') })).rejects.toThrow('"code":500');
    } finally {
      server.interfere = () => false;
      vi.restoreAllMocks();
    }
    expect((await roost.inject({ url: url(record) })).status).toBe(200);
  });

  it('FS-34 a connection that breaks in the middle of an upload leaves no file and no record', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await use(true);
    const total = async () =>
      (await roost.inject({ url: '/api/collections/large/records?perPage=1', token: superuser })).body.totalItems;
    const before = [await total(), await inBucket()];
    // The small file arrives and the first part of the large one, whose second part never does.
    let cuts = 0;
    server.interfere = ({ method, url: path = '' }, response) => {
      if (method !== 'PUT' || !path.includes('partNumber=2')) return false;
      cuts++;
      response.socket?.destroy();
      return true;
    };
    try {
      const docs = [textFile('small.txt'), textFile('large.txt', 'x'.repeat(8 * 1024 * 1024))];
      const { status } = await sendFiles(roost, 'POST', '/api/collections/large/records', { docs });
      expect(status).toBe(500);
      expect(cuts).toBeGreaterThan(0);
    } finally {
      server.interfere = () => false;
      vi.restoreAllMocks();
    }
    expect([await total(), await inBucket()]).toEqual(before);
  });

  it('FS-48 FS-56 a connection that breaks in the middle of a download is no complete file', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    await use(true);
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt', 'x'.repeat(500_000)) });
    const origin = await roost.listen();
    server.interfere = ({ method }, response) => {
      if (method !== 'GET') return false;
      response.writeHead(200, { 'content-length': '500000', 'content-type': 'text/plain' });
      response.write('x'.repeat(100_000));
      setTimeout(() => response.destroy(), 50);
      return true;
    };
    try {
      const answer = await fetch(origin + url(record));
      expect(answer.headers.get('content-length')).toBe('500000');
      await expect(answer.text()).rejects.toThrow();
    } finally {
      server.interfere = () => false;
      vi.restoreAllMocks();
    }
    expect((await (await fetch(origin + url(record))).text()).length).toBe(500_000);
  });

  it('FS-48 a whole file costs one request to the store, and one that is there already none for its content', async () => {
    await use(true);
    const record = await createWithFiles(roost, 'open', { cover: textFile('a.txt', 'content') });
    server.requests.length = 0;
    const { headers, text } = await roost.inject({ url: url(record) });
    expect([text, server.requests.map(({ method }) => method)]).toEqual(['content', ['GET']]);
    server.requests.length = 0;
    await roost.inject({ url: url(record), headers: { 'if-none-match': String(headers.etag) } });
    await roost.inject({ method: 'HEAD', url: url(record) });
    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  async function inBucket(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of bucketOf(roost).list('')) keys.push(key);
    return keys.sort();
  }
});

function bucketOf(roost: TestRoost): FileStorage {
  return roost.app.get(StorageService, { strict: false }).s3;
}
