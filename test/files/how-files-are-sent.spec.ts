import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS, sendFiles, textFile } from './file-collections.js';

let roost: TestRoost;
let superuser: string;

beforeAll(async () => {
  roost = await startRoost();
  superuser = await roost.createSuperuser();
  await roost.createCollections(...FILE_COLLECTIONS);
});

afterAll(() => roost?.close());

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
  'base64',
);

async function store(file: File, collection = 'open', field = 'cover'): Promise<string> {
  const record = await createWithFiles(roost, collection, { [field]: file });
  return `/api/files/${collection}/${record.id}/${record[field]}`;
}

function get(
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
  token?: string,
): Promise<TestResponse> {
  return roost.inject({ method, url, headers, token });
}

describe('headers', () => {
  it('FS-66 FS-69 of a file that everybody may read', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const url = await store(textFile('My File.txt', 'hello'));
    const { status, headers, text } = await get(url);
    expect([status, text]).toEqual([200, 'hello']);
    const name = url.split('/').at(-1);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'content-disposition': `attachment; filename=${name}`,
      'content-security-policy': "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'max-age=2592000, stale-while-revalidate=86400',
      etag: expect.stringMatching(/^"[\w-]{20,}"$/),
    });
    for (const absent of ['x-frame-options', 'cross-origin-resource-policy', 'content-encoding']) {
      expect(headers).not.toHaveProperty(absent);
    }
    expect(String(headers.vary)).not.toContain('Authorization');
    const modified = Date.parse(String(headers['last-modified']));
    expect(modified).toBeGreaterThanOrEqual(before);
    expect(modified).toBeLessThanOrEqual(Date.now());
  });

  it('FS-69 of a file that not everybody may read', async () => {
    const owned = await createWithFiles(roost, 'closed', { plain: textFile('a.txt') });
    const { headers } = await get(`/api/files/closed/${owned.id}/${owned.plain}`, {}, 'GET', superuser);
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(String(headers.vary).split(', ').sort()).toEqual(['Authorization', 'Origin']);
    const { token } = (await roost.inject({ method: 'POST', url: '/api/files/token', token: superuser })).body;
    const secret = await get(`${await store(textFile('s'), 'open', 'secret')}?token=${token}`);
    expect([secret.status, secret.headers['cache-control']]).toEqual([200, 'private, no-cache']);
  });

  it('FS-55 HEAD has the same status and headers and no body', async () => {
    const url = await store(textFile('a.txt', 'hello'));
    const { headers: whole } = await get(url);
    const head = await get(url, {}, 'HEAD');
    const { date: _date, 'x-request-id': _id, ...expected } = whole;
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers).toMatchObject({ ...expected, connection: expect.anything() });
    const part = await get(url, { range: 'bytes=1-2' }, 'HEAD');
    expect([part.status, part.text, part.headers['content-length'], part.headers['content-range']]).toEqual([
      206,
      '',
      '2',
      'bytes 1-2/5',
    ]);
    const known = await get(url, { 'if-none-match': String(whole['etag']) }, 'HEAD');
    // A length would be that of the file: 0 would tell caches that it is empty.
    expect([known.status, known.headers['content-length']]).toEqual([304, undefined]);
    expect((await get(`${url}x`, {}, 'HEAD')).status).toBe(404);
  });

  it('FS-67 shows images and the like in the browser, and never what may hold scripts', async () => {
    const svg = new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'a.svg');
    const html = new File(['<!doctype html><html><script>1</script></html>'], 'a.html');
    const page = '<!doctype html><html><script>1</script>';
    const xhtml = '<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>';
    const cases: [File, string, string][] = [
      [new File([PNG], 'a.png'), 'inline', 'image/png'],
      [new File(['%PDF-1.7\n%âãÏÓ\n1 0 obj\n'], 'a.pdf'), 'inline', 'application/pdf'],
      [svg, 'attachment', 'image/svg+xml'],
      [html, 'attachment', 'text/html; charset=utf-8'],
      [new File([html], 'looks-like.png'), 'attachment', 'text/html; charset=utf-8'],
      [new File(['body { color: red }'], 'a.css'), 'attachment', 'text/css'],
      [new File(['let a = 1'], 'a.mjs'), 'attachment', 'text/javascript'],
      [new File([Buffer.from(`\ufeff${page}`, 'utf16le')], 'a.png'), 'attachment', 'text/html; charset=utf-16le'],
      [new File([Buffer.from(`${page}\xe9`, 'latin1')], 'a.png'), 'attachment', 'text/html; charset=iso-8859-1'],
      [new File([`<?xml version="1.0"?>${xhtml}`], 'a.jpg'), 'attachment', 'application/xhtml+xml'],
      [new File(['<?xml version="1.0" encoding="Latin1"?><svg/>'], 'a.pdf'), 'attachment', 'image/svg+xml'],
      [new File(['<?php echo 1;'], 'a.gif'), 'attachment', 'text/x-php'],
      [new File(['#!/usr/bin/env node'], 'a'), 'attachment', 'text/javascript'],
      [new File([''], 'empty'), 'attachment', 'text/plain; charset=utf-8'],
    ];
    for (const [file, disposition, type] of cases) {
      const { headers } = await get(await store(file));
      expect(headers['content-disposition'], file.name).toMatch(new RegExp(`^${disposition}; filename=`));
      expect(headers['content-type'], file.name).toBe(type);
    }
  });

  it('FS-12 FS-13 takes a table of a spreadsheet as a table, whatever its encoding, and says what else it was', async () => {
    const fields = [{ name: 'table', type: 'file', mimeTypes: ['text/csv'] }];
    await roost.createCollections({ name: 'tables', type: 'base', viewRule: '', createRule: '', fields });
    const western = Buffer.from('Name;Größe\r\nMüller;5 \x80\r\n', 'latin1');
    // 名前,表\r\n表,1\r\n
    const japanese = Buffer.from('\x96\xbc\x91\x4f,\x95\x5c\r\n\x95\x5c,1\r\n', 'latin1');
    for (const content of [western, japanese, Buffer.from('\ufeffa\tb;c,d\r\n1,2\r\n', 'utf16le')]) {
      const url = await store(new File([content], 'Tabelle'), 'tables', 'table');
      expect(url).toMatch(/\.csv$/);
      expect((await get(url)).headers['content-type']).toBe('text/csv');
    }
    const note = new File([Buffer.from('caf\xe9', 'latin1')], 'a.csv');
    const refused = await sendFiles(roost, 'POST', '/api/collections/tables/records', { table: note });
    expect(refused.body.data.table.code).toBe('validation_invalid_mime_type');
  });

  it('FS-68 downloads when that is asked for', async () => {
    const url = await store(new File([PNG], 'a.png'));
    for (const value of ['1', 't', 'T', 'true', 'TRUE', 'True']) {
      expect((await get(`${url}?download=${value}`)).headers['content-disposition'], value).toMatch(/^attachment/);
    }
    for (const value of ['', '0', 'yes', 'false', 'tRue', '1x']) {
      expect((await get(`${url}?download=${value}`)).headers['content-disposition'], value).toMatch(/^inline/);
    }
  });

  it('FS-66 quotes names that are not plain', async () => {
    const url = await store(new File([PNG], 'a.p#n+g'));
    expect((await get(url.replace('#', '%23'))).headers['content-disposition']).toMatch(
      /^inline; filename="[\w.]+\.p#n\+g"$/,
    );
  });
});

describe('conditional requests', () => {
  it('FS-70 a client that has the file is told so', async () => {
    const url = await store(textFile('a.txt', 'hello'));
    const { headers } = await get(url);
    const etag = String(headers.etag);
    const modified = String(headers['last-modified']);
    const fresh: Record<string, string>[] = [
      { 'if-none-match': etag },
      { 'if-none-match': `"other", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
      { 'if-modified-since': new Date(Date.parse(modified) + 60_000).toUTCString() },
    ];
    for (const condition of fresh) {
      const answer = await get(url, condition);
      expect([answer.status, answer.text], JSON.stringify(condition)).toEqual([304, '']);
      expect(answer.headers).toMatchObject({ etag, 'cache-control': headers['cache-control'] });
    }
    const stale: Record<string, string>[] = [
      { 'if-none-match': '"other"' },
      { 'if-none-match': '"other"', 'if-modified-since': modified },
      { 'if-modified-since': new Date(Date.parse(modified) - 60_000).toUTCString() },
      { 'if-modified-since': 'nonsense' },
    ];
    for (const condition of stale) expect((await get(url, condition)).text, JSON.stringify(condition)).toBe('hello');
    expect((await get(url, { 'if-none-match': etag }, 'HEAD')).status).toBe(304);
  });

  it('FS-70 access is looked at first', async () => {
    const record = await createWithFiles(roost, 'closed', { plain: textFile('a.txt') });
    const url = `/api/files/closed/${record.id}/${record.plain}`;
    const { headers } = await get(url, {}, 'GET', superuser);
    expect((await get(url, { 'if-none-match': String(headers.etag) })).status).toBe(404);
    const seen = await get(url, { 'if-none-match': String(headers.etag) }, 'GET', superuser);
    expect([seen.status, seen.headers['cache-control']]).toEqual([304, 'private, no-cache']);
  });
});

describe('ranges', () => {
  let url: string;
  let headers: TestResponse['headers'];

  beforeAll(async () => {
    url = await store(textFile('digits.txt', '0123456789'));
    ({ headers } = await get(url));
  });

  it.each([
    ['bytes=2-4', '234', '2-4'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=0-0', '0', '0-0'],
    ['bytes=5-999', '56789', '5-9'],
    ['bytes=-999', '0123456789', '0-9'],
    ['bytes=0-99999999999999999999', '0123456789', '0-9'],
    ['BYTES=1-2', '12', '1-2'],
  ])('FS-71 %s is a part', async (range, text, shown) => {
    const part = await get(url, { range });
    expect([part.status, part.text]).toEqual([206, text]);
    expect(part.headers).toMatchObject({ 'content-range': `bytes ${shown}/10`, 'content-length': String(text.length) });
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'FS-71 %s cannot be satisfied',
    async (range) => {
      const answer = await get(url, { range });
      expect(answer.status).toBe(416);
      expect(answer.headers).toMatchObject({ 'content-range': 'bytes */10', 'cache-control': 'no-store' });
      expect(answer.body).toMatchObject({ code: 416, data: {} });
    },
  );

  it.each(['bytes=0-1,3-4', 'bytes=4-2', 'bytes=a-b', 'bytes=', 'bytes=-', 'items=0-1', 'bytes 0-1'])(
    'FS-71 %s is answered with the whole file',
    async (range) => {
      const whole = await get(url, { range });
      expect([whole.status, whole.text, whole.headers['content-range']]).toEqual([200, '0123456789', undefined]);
    },
  );

  it('FS-71 nothing of an empty file can be had', async () => {
    expect((await get(await store(textFile('empty', '')), { range: 'bytes=0-' })).status).toBe(416);
  });

  it('FS-70 a part is sent only of the version the client knows', async () => {
    const range = 'bytes=0-1';
    const known = [String(headers.etag), String(headers['last-modified'])];
    for (const version of known) expect((await get(url, { range, 'if-range': version })).status).toBe(206);
    for (const version of ['"other"', `W/${headers.etag}`, new Date(0).toUTCString(), 'nonsense']) {
      expect((await get(url, { range, 'if-range': version })).status, version).toBe(200);
    }
  });
});

describe('delivery', () => {
  it.each([2_000, 100_000])('FS-72 is not compressed, with %i bytes', async (length) => {
    const url = await store(textFile('long.txt', 'a'.repeat(length)));
    const { headers, text } = await get(url, { 'accept-encoding': 'gzip, br' });
    expect([headers['content-encoding'], headers['content-length'], text.length, headers.vary]).toEqual([
      undefined,
      String(length),
      length,
      'Origin',
    ]);
    const part = await get(url, { 'accept-encoding': 'gzip, br', range: 'bytes=0-1499' });
    expect([part.headers['content-encoding'], part.text.length]).toEqual([undefined, 1500]);
  });

  it('FS-71 every part is what lies there, whichever way it is read', async () => {
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 251));
    const url = await store(new File([content], 'bytes.bin'));
    expect((await get(url)).raw.equals(content)).toBe(true);
    const limit = 64 * 1024;
    for (const [start, end] of [
      [0, limit - 1],
      [0, limit],
      [1, limit],
      [limit, 2 * limit + 1],
      [199_999, 199_999],
      [100_000, 199_999],
    ]) {
      const part = await get(url, { range: `bytes=${start}-${end}` });
      expect(part.headers['content-range']).toBe(`bytes ${start}-${end}/200000`);
      expect(part.raw.equals(content.subarray(start, end! + 1)), `${start}-${end}`).toBe(true);
    }
  });

  it('FS-56 a file that is missing on storage is a 404', async () => {
    const url = await store(textFile('gone.txt'));
    const [, , , , id, name] = url.split('/');
    const record = await roost.inject({ url: `/api/collections/open/records/${id}` });
    await rm(join(roost.dir, 'storage', record.body.collectionId, id, name));
    const answer = await get(url);
    expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  describe('of more than the system takes for clients that do not read', () => {
    const content = randomBytes(16_000_000);
    let url: string;

    beforeAll(async () => {
      const fields = [{ name: 'cover', type: 'file', maxSelect: 1, maxSize: 20_000_000 }];
      await roost.createCollections({ name: 'large', type: 'base', viewRule: '', createRule: '', fields });
      url = (await roost.listen()) + (await store(new File([content], 'big.bin'), 'large'));
    });

    it('FS-71 a client that reads late gets every byte of it, whole and in part', async () => {
      for (const [range, expected] of [
        [undefined, content],
        ['bytes=1000000-14999999', content.subarray(1_000_000, 15_000_000)],
      ] as const) {
        const response = await begin(range);
        await sleep(50);
        expect((await buffer(response)).equals(expected), range).toBe(true);
      }
      await untilNoneIsOpen();
    });

    it('FS-72 a client that goes away frees the file descriptor', async () => {
      const responses = await Promise.all(Array.from({ length: 5 }, () => begin()));
      expect(await openFiles()).toBe(5);
      for (const response of responses) response.destroy();
      await untilNoneIsOpen();
    });

    async function begin(range?: string): Promise<IncomingMessage> {
      const headers = range === undefined ? {} : { range };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(url, { agent: false, headers }, resolve).on('error', reject).end();
      });
      return response.on('error', () => {});
    }
  });

  async function untilNoneIsOpen(): Promise<void> {
    const deadline = Date.now() + 5_000;
    while ((await openFiles()) > 0 && Date.now() < deadline) await sleep(10);
    expect(await openFiles()).toBe(0);
  }

  async function openFiles(): Promise<number> {
    const fds = await readdir('/proc/self/fd');
    const targets = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return targets.filter((target) => target.startsWith(join(roost.dir, 'storage'))).length;
  }
});

it('FS-40 FS-56 a name that cannot be decoded is a 400 that nobody keeps', async () => {
  for (const name of ['%', '%zz', '%ff', 'a%2']) {
    const { status, headers, body } = await get(`/api/files/open/any/${name}`);
    expect([status, headers['cache-control'], body.code], name).toEqual([400, 'no-store', 400]);
  }
});

it('OPS-33 FS-66 files may be shown in frames, errors and tokens may not', async () => {
  const url = await store(textFile('a.txt', 'hello'));
  const frames = async (path: string, headers: Record<string, string> = {}) =>
    (await get(path, headers)).headers['x-frame-options'];
  const { etag } = (await get(url)).headers;
  expect([await frames(url), await frames(url, { 'if-none-match': String(etag) })]).toEqual([undefined, undefined]);
  expect(await frames(url, { range: 'bytes=1-' })).toBeUndefined();
  const errors = [`${url}x`, `${url}/x`, '/api/files/nowhere/a/b', '/api/files/open/a/%', '/api/files/token'];
  for (const path of errors) expect(await frames(path), path).toBe('SAMEORIGIN');
  expect(await frames(url, { range: 'bytes=9-' })).toBe('SAMEORIGIN');
  const token = await roost.inject({ method: 'POST', url: '/api/files/token', token: superuser });
  expect([token.status, token.headers['x-frame-options']]).toEqual([200, 'SAMEORIGIN']);
});

it('FS-74 the token in the URL of a file is not in the log', async () => {
  const { token } = (await roost.inject({ method: 'POST', url: '/api/files/token', token: superuser })).body;
  const url = await store(textFile('secret.txt'), 'open', 'secret');
  expect((await get(`${url}?thumb=100x100&token=${token}&download=1`)).status).toBe(200);
  expect((await get(`${url}?token=${token}x`)).status).toBe(404);
  const filter = encodeURIComponent(`data.url ~ '${url}'`);
  const { body, text } = await roost.inject({ url: `/api/logs?sort=rowid&filter=${filter}`, token: superuser });
  expect(body.items.map(({ data }: { data: { url: string } }) => data.url)).toEqual([
    `${url}?thumb=100x100&token=***&download=1`,
    `${url}?token=***`,
  ]);
  expect(text).not.toContain(token);
});

it('FS-73 downloads count under the tag "file", and an unknown collection is a 404 before that', async () => {
  const url = await store(textFile('a.txt'));
  const set = (enabled: boolean) => {
    const rules = [{ label: 'open:file', audience: '', duration: 60, maxRequests: 1 }];
    return roost.inject({
      method: 'PATCH',
      url: '/api/settings',
      token: superuser,
      body: { rateLimits: { enabled, rules } },
    });
  };
  await set(true);
  try {
    expect([(await get(url)).status, (await get(url)).status]).toEqual([200, 429]);
    expect((await get(url.replace('/open/', '/nowhere/'))).status).toBe(404);
  } finally {
    await set(false);
  }
});
