import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import { startRoost } from '../support/roost.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { MemoryBudget } from '../../src/files/memory-budget.js';
import { createWithFiles } from './file-collections.js';

interface Picture {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** What answers a request for the thumbnail of a picture that a guest has uploaded. */
async function answersTo(pictures: readonly Picture[], thumb = '100x100'): Promise<string[]> {
  const roost = await startRoost();
  try {
    await roost.app.get(CollectionsService, { strict: false }).create({
      name: 'pictures',
      type: 'base',
      viewRule: '',
      createRule: '',
      fields: [{ name: 'file', type: 'file', maxSize: 50_000_000, maxSelect: 1, thumbs: [thumb] }],
    });
    const answers: string[] = [];
    for (const { content, type } of pictures) {
      const file = new File([content], `a.${type}`, { type: `image/${type}` });
      const record = await createWithFiles(roost, 'pictures', { file });
      const url = `/api/files/pictures/${record.id}/${String(record.get?.('file') ?? (record as never)['file'])}?thumb=${thumb}`;
      const answer = await roost.inject({ url });
      expect(answer.status).toBe(200);
      const isOriginal = Number(answer.headers['content-length']) === content.length;
      answers.push(isOriginal ? 'the original' : 'a thumbnail');
    }
    return answers;
  } finally {
    await roost.close();
  }
}

async function avif(width: number, height: number, bitdepth: 8 | 10 = 8) {
  const picture = sharp({ create: { width, height, channels: 3, background: '#123456' } });
  return { content: new Uint8Array(await picture.avif({ effort: 0, bitdepth }).toBuffer()), type: 'avif' };
}

it('OPS-39 FS-84 an AVIF takes more than its pixels: one beyond 12 megapixels is sent as it is', async () => {
  expect(await answersTo([await avif(4032, 3024), await avif(3600, 3600)])).toEqual(['a thumbnail', 'the original']);
}, 60_000);

/** The part of the budget for all pictures that each of these waits for. */
async function partsOf(pictures: readonly Picture[], thumb?: string): Promise<number[]> {
  const run = vi.spyOn(MemoryBudget.prototype, 'run');
  try {
    await answersTo(pictures, thumb);
    const parts = run.mock.calls.map(([bytes], call) => bytes / (run.mock.contexts[call] as MemoryBudget).size);
    return parts.map((part) => Number(part.toFixed(2)));
  } finally {
    run.mockRestore();
  }
}

it('OPS-39 an AVIF waits for what its decoder takes, at most for the whole budget', async () => {
  const pictures = [await avif(2000, 1500), await avif(2000, 1500, 10), await avif(4000, 3000)];
  expect(await partsOf(pictures)).toEqual([0.3, 0.4, 1]);
}, 60_000);

it('OPS-39 a large thumbnail waits for what it takes until it is written, at most for the whole budget', async () => {
  const small = async (type: 'jpeg' | 'webp' | 'png') => {
    const picture = sharp({ create: { width: 100, height: 100, channels: 3, background: '#123456' } });
    return { content: new Uint8Array(await picture.toFormat(type).toBuffer()), type };
  };
  const pictures = [await small('jpeg'), await small('webp'), await small('png')];
  expect(await partsOf(pictures, '3000x3000')).toEqual([0.35, 0.31, 0.08]);
  expect(await partsOf([await small('jpeg')], '0x6000')).toEqual([1]);
}, 60_000);

it('OPS-39 FS-84 an interlaced 16-bit picture that is too large as a whole is sent as it is', async () => {
  const create = { width: 8000, height: 8000, channels: 3 as const, background: '#123456' };
  const png = async (progressive: boolean) => ({
    content: new Uint8Array(
      await sharp({ create }).toColourspace('rgb16').png({ progressive, compressionLevel: 1 }).toBuffer(),
    ),
    type: 'png',
  });
  expect(await answersTo([await png(true), await png(false)])).toEqual(['the original', 'a thumbnail']);
}, 60_000);

/** A chunk of a PNG. */
function chunk(type: string, content: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

/** A picture with these chunks behind its first one. */
async function pngWith(...chunks: readonly Uint8Array[]) {
  const create = { width: 300, height: 300, channels: 3 as const, background: '#123456' };
  const plain = await sharp({ create }).png().toBuffer();
  const content = Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
  return { content: new Uint8Array(content), type: 'png' };
}

const packed = (head: string, length: number) =>
  Buffer.concat([Buffer.from(head, 'latin1'), deflateSync(Buffer.alloc(length, 'x'))]);

it.each([
  ['a text', 'zTXt', 'k\0\0'],
  ['an international text', 'iTXt', 'k\0\x01\0en\0key\0'],
  ['a colour profile', 'iCCP', 'k\0\0'],
])('OPS-39 FS-84 a PNG with %s that inflates beyond 4 MiB is sent as it is', async (_name, type, head) => {
  const small = chunk(type, packed(head, 100_000));
  expect(
    await answersTo([
      await pngWith(small, small),
      await pngWith(chunk(type, packed(head, 5_000_000))),
      await pngWith(...Array.from({ length: 50 }, () => small)),
      // A decoder inflates this as well.
      await pngWith(chunk(type, packed(head, 100_000).subarray(0, -6))),
    ]),
  ).toEqual(['a thumbnail', 'the original', 'the original', 'the original']);
});

it('OPS-39 FS-84 a PNG with text beyond 4 MiB, or more chunks than a picture has, is sent as it is', async () => {
  const text = (length: number) => chunk('tEXt', Buffer.from(`k\0${'x'.repeat(length)}`));
  const unknown = (count: number) => Array.from({ length: count }, () => chunk('abCd', Buffer.from('x')));
  expect(
    await answersTo([
      await pngWith(text(4_000_000)),
      await pngWith(text(4_200_000)),
      await pngWith(...unknown(900)),
      await pngWith(...unknown(1100)),
    ]),
  ).toEqual(['a thumbnail', 'the original', 'a thumbnail', 'the original']);
});

/** A segment of a JPEG, its content of this length. */
function segment(marker: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(length + 4, 7);
  bytes.writeUInt16BE(0xff00 + marker);
  bytes.writeUInt16BE(length + 2, 2);
  bytes.write('Exif\0\0', 4, 'latin1');
  return bytes;
}

it('OPS-39 FS-84 a JPEG with EXIF data and the like beyond 4 MiB, or more segments than a picture has, is sent as it is', async () => {
  const plain = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#123456' } })
    .jpeg()
    .toBuffer();
  const jpegWith = (count: number, length: number, marker = 0xe1) => {
    const segments = Array.from({ length: count }, () => segment(marker, length));
    return {
      content: new Uint8Array(Buffer.concat([plain.subarray(0, 2), ...segments, plain.subarray(2)])),
      type: 'jpg',
    };
  };
  expect(
    await answersTo([
      jpegWith(65, 60_000),
      jpegWith(70, 60_000),
      jpegWith(70, 60_000, 0xfe),
      jpegWith(900, 10),
      jpegWith(1100, 10),
    ]),
  ).toEqual(['a thumbnail', 'the original', 'the original', 'a thumbnail', 'the original']);
});

it('OPS-39 FS-84 a WebP with EXIF data beyond 4 MiB is sent as it is', async () => {
  const plain = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#123456' } })
    .withExif({ IFD0: { Copyright: 'x' } })
    .webp()
    .toBuffer();
  const webpWith = (length: number) => {
    const exif = Buffer.alloc(8 + length, 7);
    exif.write('EXIF', 'latin1');
    exif.writeUInt32LE(length, 4);
    const content = Buffer.concat([plain.subarray(0, plain.indexOf('EXIF')), exif]);
    content.writeUInt32LE(content.length - 8, 4);
    return { content: new Uint8Array(content), type: 'webp' };
  };
  expect(await answersTo([webpWith(4_000_000), webpWith(4_200_000)])).toEqual(['a thumbnail', 'the original']);
});
