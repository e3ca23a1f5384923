import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RoostConfig } from '../../src/config/roost-config.js';
import type { BodyLimits } from '../../src/http/body/body-limit.js';
import { LargeBodies } from '../../src/http/body/large-bodies.js';
import { MultipartReader } from '../../src/http/body/multipart-reader.js';
import type { RequestBody } from '../../src/http/body/request-body.js';
import type { RoostRequest } from '../../src/http/request/roost-request.js';
import { MULTIPART_TYPE, multipartBody, type FormPart } from '../support/multipart.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-multipart-'));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

function newReader(): MultipartReader {
  const config = { dir, bodyTimeout: 300 } as RoostConfig;
  return new MultipartReader(config, new LargeBodies(config));
}

function requestOf(body: Buffer): RoostRequest {
  const raw = Object.assign(Readable.from([body], { objectMode: false }), {
    headers: { 'content-type': MULTIPART_TYPE },
  });
  return { raw, caller: { ip: '127.0.0.1' } } as unknown as RoostRequest;
}

function read(parts: readonly FormPart[], limits: Partial<BodyLimits>): Promise<RequestBody> {
  const reader = newReader();
  return reader.read(requestOf(multipartBody(parts)), { maxBytes: 1_000_000, part: () => null, ...limits });
}

const file = (key: string, fileName: string, content: string | Uint8Array = fileName): FormPart => ({
  key,
  fileName,
  content,
});

it('FS-12 FS-25 names uploads and tells their type from the content', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
    'base64',
  );
  const body = await read(
    [
      { ...file('docs', 'IMG 2024 Photo.JPG', png), type: 'text/html' },
      file('docs', 'abcd', 'text'),
      file('one+', 'e.bin', ''),
    ],
    { part: () => ({ maxBytes: 1000, maxFiles: 3 }) },
  );
  expect([...body.files.keys()]).toEqual(['docs', 'one+']);
  const [photo, text] = body.files.get('docs')!;
  expect(photo).toMatchObject({ mimeType: 'image/png', originalName: 'IMG 2024 Photo.JPG', size: png.length });
  expect(photo.name).toMatch(/^img_2024_photo_[a-z0-9]{10}\.JPG$/);
  expect(await readFile(photo.path)).toEqual(png);
  expect(text).toMatchObject({ mimeType: 'text/plain; charset=utf-8', truncated: false });
  expect(text.name).toMatch(/^abcd_[a-z0-9]{10}\.txt$/);
  await body.dispose();
  expect(await readdir(join(dir, '.temp'))).toEqual([]);
});

it('FS-16 keeps of each key what the route says', async () => {
  const body = await read(
    [file('a', '1'), file('b', 'x'), file('a', 'long', 'x'.repeat(50)), file('a', '3'), file('a+', '4')],
    { part: (key) => (key === 'b' ? null : { maxBytes: 10, maxFiles: 2 }) },
  );
  const names = [...body.files].map(([key, uploads]) => [key, uploads.map((upload) => upload.originalName)]);
  expect(names).toEqual([
    ['a', ['1', 'long']],
    ['a+', ['4']],
  ]);
  expect(body.files.get('a')![1]).toMatchObject({ truncated: true, size: 50 });
  await body.dispose();
});

it('OPS-34 drains what is left of a body that is refused', async () => {
  const reader = newReader();
  const request = requestOf(multipartBody([file('a', 'a', 'x'.repeat(100_000))]));
  await expect(reader.read(request, { maxBytes: 1000, part: () => null })).rejects.toMatchObject({ status: 413 });
  expect(request.raw.readableFlowing).toBe(true);
});
