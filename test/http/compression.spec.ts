import { syncBuiltinESMExports } from 'node:module';
import zlib, { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { acceptedEncoding } from '../../src/http/adapter/compression.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
});
afterAll(() => roost.close());

const get = (url: string, encoding?: string) =>
  roost.inject({ url, token, headers: encoding ? { 'accept-encoding': encoding } : {} });

describe('compression', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0.5, gzip', 'gzip', gunzipSync],
  ] as const)('OPS-35 answers %s with %s', async (accepted, encoding, decompress) => {
    const plain = await get('/api/collections');
    const { headers, raw } = await get('/api/collections', accepted);
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['vary']).toBe('Origin, Accept-Encoding');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(Number(headers['content-length'])).toBe(raw.length);
    expect(raw.length).toBeLessThan(plain.raw.length / 3);
    expect(decompress(raw).toString()).toBe(plain.text);
    expect(plain.headers['vary']).toBe('Origin, Accept-Encoding');
    expect(plain.headers).not.toHaveProperty('content-encoding');
  });

  it('OPS-35 OPS-36 compresses nothing for a HEAD, which says how long the answer itself is', async () => {
    const plain = await get('/api/collections');
    const headers = { 'accept-encoding': 'gzip' };
    const head = await roost.inject({ method: 'HEAD', url: '/api/collections', token, headers });
    expect([head.status, head.raw.length]).toEqual([200, 0]);
    expect(head.headers).not.toHaveProperty('content-encoding');
    expect(head.headers['content-length']).toBe(plain.headers['content-length']);
    expect(head.headers['vary']).toBe('Origin, Accept-Encoding');
  });

  it('OPS-35 leaves short answers, files and backups alone', async () => {
    expect((await get('/api/health', 'gzip')).headers).not.toHaveProperty('content-encoding');
    await roost.inject({ method: 'POST', url: '/api/backups', token, body: { name: 'a.zip' } });
    const { body } = await roost.inject({ method: 'POST', url: '/api/files/token', token });
    const { headers, raw } = await get(`/api/backups/a.zip?token=${body.token}`, 'gzip');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(raw.subarray(0, 2).toString()).toBe('PK');
  });

  it('OPS-39 compresses four answers of one client at a time', async () => {
    const compress = zlib.brotliCompress as (...args: unknown[]) => void;
    let running = 0;
    let most = 0;
    const watched = vi.spyOn(zlib, 'brotliCompress').mockImplementation(((...args: unknown[]) => {
      const done = args.pop() as (...result: unknown[]) => void;
      most = Math.max(most, (running += 1));
      compress(...args, (...result: unknown[]) => {
        running -= 1;
        done(...result);
      });
    }) as never);
    syncBuiltinESMExports();
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get('/api/collections', 'br')));
      expect(new Set(answers.map(({ headers }) => headers['content-encoding']))).toEqual(new Set(['br']));
      expect(new Set(answers.map(({ raw }) => brotliDecompressSync(raw).toString())).size).toBe(1);
      expect([most, watched.mock.calls.length]).toEqual([4, 20]);
    } finally {
      watched.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it.each([
    [undefined, undefined],
    ['identity', undefined],
    ['*', 'br'],
    ['gzip;q=0, br;q=0', undefined],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
  ])('OPS-35 understands %s', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });
});

it('OPS-38 JSON answers say that they are JSON', async () => {
  for (const url of ['/api/health', '/api/settings', '/api/nothing', '/api/collections/nothing/records']) {
    expect((await get(url)).headers['content-type']).toMatch(/^application\/json/);
  }
});
