import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoostConfig } from '../../src/config/roost-config.js';
import { ArrivingBytes, type HeldBytes, KeptBytes } from '../../src/http/body/arriving-bytes.js';
import type { BodyLimits } from '../../src/http/body/body-limit.js';
import { BodyReader } from '../../src/http/body/body-reader.js';
import { LargeBodies } from '../../src/http/body/large-bodies.js';
import { MultipartReader } from '../../src/http/body/multipart-reader.js';
import type { RoostRequest } from '../../src/http/request/roost-request.js';
import { MULTIPART_TYPE, multipartBody } from '../support/multipart.js';
import { eventually } from '../support/eventually.js';

const KIB = 1024;
const TEXT = 'x'.repeat(100 * KIB);
const JSON_TYPE = 'application/json';

const limits = { maxBytes: 10_000_000, part: () => ({ maxBytes: 10_000_000, maxFiles: 9 }) } as unknown as BodyLimits;

describe('bodies that arrive while many others do', () => {
  let dir: string;
  let bodies: LargeBodies;
  let reader: BodyReader;
  let others: HeldBytes;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-arriving-'));
    const config = { dir, bodyTimeout: 300 } as RoostConfig;
    bodies = new LargeBodies(config);
    reader = new BodyReader(new MultipartReader(config, bodies), bodies, config);
    others = bodies.arriving.share();
    while (others.keep(KIB));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** The request of a body, and what sends its pieces. */
  function request(type: string) {
    const raw = Object.assign(new PassThrough(), { headers: { 'content-type': type, 'transfer-encoding': 'chunked' } });
    const reading = reader.read({ raw, caller: { ip: '127.0.0.1' } } as unknown as RoostRequest, limits);
    return { raw, reading };
  }

  /** Bytes of such bodies on the disk. */
  async function onDisk(): Promise<number> {
    const names = await readdir(join(dir, '.temp')).catch(() => []);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, '.temp', name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  it.each([
    ['JSON', JSON_TYPE, Buffer.from(JSON.stringify({ title: TEXT }))],
    ['a form', MULTIPART_TYPE, multipartBody([{ key: 'title', content: TEXT }])],
  ])('OPS-39 wait on the disk from 16 KiB on, and are read like all: %s', async (_, type, body) => {
    const { raw, reading } = request(type);
    for (let at = 0; at < 80 * KIB; at += 10 * KIB) raw.write(body.subarray(at, at + 10 * KIB));
    await eventually(async () => expect(await onDisk()).toBeGreaterThan(0));
    raw.end(body.subarray(80 * KIB));
    const read = await reading;
    expect(read.values).toEqual({ title: TEXT });
    await read.dispose();
    expect(await onDisk()).toBe(0);
  });

  it('OPS-39 keep little of their files in memory', async () => {
    const body = multipartBody([{ key: 'file', fileName: 'a.txt', content: TEXT }]);
    const { raw, reading } = request(MULTIPART_TYPE);
    for (let at = 0; at < 80 * KIB; at += 10 * KIB) raw.write(body.subarray(at, at + 10 * KIB));
    await eventually(async () => expect(await onDisk()).toBeGreaterThan(50 * KIB));
    raw.end(body.subarray(80 * KIB));
    const read = await reading;
    expect(await readFile(read.files.get('file')![0]!.path, 'utf8')).toBe(TEXT);
    await read.dispose();
  });

  it('OPS-39 stay in memory when they are small, and when there is room again', async () => {
    const create = vi.spyOn(bodies, 'newPath');
    const small = request(JSON_TYPE);
    for (const piece of ['{"title":', '"a"', '}']) small.raw.write(piece);
    small.raw.end();
    expect((await small.reading).values).toEqual({ title: 'a' });
    others.release();
    const free = bodies.arriving.share();
    const body = Buffer.from(JSON.stringify({ title: TEXT }));
    // Whatever is counted for a body ends with it, also where it breaks off.
    for (let time = 0; time < 1000; time++) {
      const { raw, reading } = request(JSON_TYPE);
      raw.write(body.subarray(0, 60 * KIB));
      if (time % 2 === 0) raw.destroy();
      else raw.end(body.subarray(60 * KIB));
      await reading.catch(() => undefined);
    }
    expect(create).not.toHaveBeenCalled();
    expect(free.keep(40 * KIB * KIB)).toBe(true);
  });

  it('OPS-39 are read as they were sent when they come byte by byte, in memory and on the disk', async () => {
    const pieces = [...Buffer.from(JSON.stringify({ title: 'x'.repeat(30 * KIB) }))].map((byte) => Buffer.of(byte));
    for (const isFull of [true, false]) {
      if (!isFull) others.release();
      const { raw, reading } = request(JSON_TYPE);
      for (const piece of pieces) raw.write(piece);
      raw.end();
      const read = await reading;
      expect(read.values).toEqual({ title: 'x'.repeat(30 * KIB) });
      await read.dispose();
    }
  });

  it('OPS-39 take little more memory than their bytes when they come byte by byte', () => {
    const all = new ArrivingBytes(150 * KIB);
    const kept = new KeptBytes(all.share());
    for (let byte = 0; byte < 100 * KIB; byte++) expect(kept.keep(Buffer.of(byte & 255))).toBe(true);
    const buffers = kept.take();
    expect(buffers.length).toBeLessThan(50);
    expect(Buffer.concat(buffers)).toEqual(Buffer.from(Array.from({ length: 100 * KIB }, (_, byte) => byte & 255)));
  });

  it('OPS-39 do not keep what came with a small piece, nor copy a large one', () => {
    const arrived = Buffer.from(new Uint8Array(64 * KIB).fill(7).buffer);
    const kept = new KeptBytes(new ArrivingBytes().share());
    for (const piece of [arrived.subarray(5, 15), arrived, arrived.subarray(5, 5 * KIB)]) kept.keep(piece);
    const buffers = kept.take();
    expect(Buffer.concat(buffers)).toEqual(Buffer.alloc(10 + 64 * KIB + 5 * KIB - 5, 7));
    expect(buffers.map((buffer) => buffer.buffer === arrived.buffer)).toEqual([false, true, false]);
    expect(buffers[2]!.buffer.byteLength).toBeLessThan(10 * KIB);
    expect(kept.take()).toEqual([]);
  });
});
