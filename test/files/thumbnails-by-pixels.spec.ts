import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS } from './file-collections.js';
import { ReferencePicture } from './reference-picture.js';

let roost: TestRoost;

beforeAll(async () => {
  roost = await startRoost();
  await roost.createCollections(...FILE_COLLECTIONS);
});

afterAll(() => roost?.close());

/** Stores an image and fetches one of its thumbnails. */
async function thumbnailOf(image: Buffer, name: string, size: string): Promise<Buffer> {
  const file = new File([image as Uint8Array<ArrayBuffer>], name);
  const record = await createWithFiles(roost, 'open', { cover: file });
  const { raw, headers } = await roost.inject({ url: `/api/files/open/${record.id}/${record.cover}?thumb=${size}` });
  expect(headers['content-disposition']).toBe(`inline; filename=${size}_${record.cover}`);
  return raw;
}

const SIZES = ['100x100', '50x30', '50x30t', '50x30b', '60x60f', '0x40', '40x0', '300x300'];
const WIDE = new ReferencePicture(5, 3);
const TALL = new ReferencePicture(3, 5);

describe.each([
  ['wide', WIDE],
  ['tall', TALL],
])('of a %s picture', (_name, picture) => {
  it.each(SIZES)('FS-82 %s shows the right part in the right size', async (size) => {
    const thumbnail = await thumbnailOf(await picture.taken().png().toBuffer(), 'a.png', size);
    expect(await picture.distanceOf(thumbnail, size)).toBeLessThanOrEqual(8);
  });
});

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('taken with the camera held as EXIF orientation %i says', (orientation) => {
  it.each(['50x30b', '60x60f', '0x40'])('FS-82 %s is of the upright picture', async (size) => {
    const photo = await WIDE.taken(orientation)
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .withMetadata({ orientation })
      .toBuffer();
    const thumbnail = await thumbnailOf(photo, 'a.jpg', size);
    expect(await WIDE.distanceOf(thumbnail, size)).toBeLessThanOrEqual(30);
    expect((await sharp(thumbnail).metadata()).orientation ?? 1).toBe(1);
  });
});

describe('with transparency', () => {
  const glass = new ReferencePicture(5, 3, (column, row) => [
    200,
    40 + 35 * column,
    40 + 35 * row,
    [0, 255, 128][(column + row) % 3]!,
  ]);

  it.each(['png', 'webp', 'avif'] as const)('FS-83 %s keeps what can be seen through', async (format) => {
    const image = await glass.taken()[format]({ quality: 100 }).toBuffer();
    const thumbnail = await thumbnailOf(image, `a.${format}`, '100x100');
    expect(await glass.distanceOf(thumbnail, '100x100')).toBeLessThanOrEqual(30);
  });

  it('FS-83 a GIF keeps its holes', async () => {
    const holes = new ReferencePicture(5, 3, (column, row) => [200, 40, 90, (column + row) % 2 === 0 ? 0 : 255]);
    const thumbnail = await thumbnailOf(await holes.taken().gif().toBuffer(), 'a.gif', '100x100');
    expect(await holes.distanceOf(thumbnail, '100x100')).toBeLessThanOrEqual(30);
  });
});

it.each(['gif', 'webp'] as const)('FS-83 FS-87 of an animated %s the first picture is shown', async (format) => {
  const others = ['black', 'white'].map((background) =>
    sharp({ create: { width: WIDE.width, height: WIDE.height, channels: 4, background } })
      .png()
      .toBuffer(),
  );
  const frames = await Promise.all([WIDE.taken().png().toBuffer(), ...others]);
  const joined = sharp(frames, { join: { animated: true } });
  const animated = await joined[format]().toBuffer();
  expect((await sharp(animated).metadata()).pages).toBe(3);
  const thumbnail = await thumbnailOf(animated, `a.${format}`, '50x30t');
  expect(await WIDE.distanceOf(thumbnail, '50x30t')).toBeLessThanOrEqual(30);
  expect((await sharp(thumbnail).metadata()).pages ?? 1).toBe(1);
});
