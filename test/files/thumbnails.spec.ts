import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { StorageService } from '../../src/storage/storage.service.js';
import type { TurnQueue } from '../../src/kernel/turn-queue.js';
import { startRoost } from '../support/roost.js';
import { createWithFiles, FILE_COLLECTIONS } from './file-collections.js';

let roost: TestRoost;

beforeAll(async () => {
  roost = await startRoost();
  await roost.createCollections(...FILE_COLLECTIONS);
});

afterAll(() => roost?.close());
afterEach(() => vi.restoreAllMocks());

type Format = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif';

/** Three stripes from top to bottom: red, green, blue. */
async function stripes(width: number, height: number, format: Format = 'png', orientation?: number): Promise<Buffer> {
  const stripe = (background: string, top: number) => ({
    input: { create: { width, height: Math.ceil(height / 3), channels: 3 as const, background } },
    top: Math.min(top, height - Math.ceil(height / 3)),
    left: 0,
  });
  const third = Math.ceil(height / 3);
  const drawn = await sharp({ create: { width, height, channels: 3, background: 'white' } })
    .composite([stripe('#ff0000', 0), stripe('#00ff00', third), stripe('#0000ff', 2 * third)])
    .png()
    .toBuffer();
  const image = sharp(drawn)[format]();
  return (orientation ? image.withMetadata({ orientation }) : image).toBuffer();
}

/** Stores an image and returns its URL and the folder its thumbnails go to. */
async function store(content: Uint8Array, name: string): Promise<{ url: string; thumbs: string; file: string }> {
  const record = await createWithFiles(roost, 'open', { cover: new File([content as Uint8Array<ArrayBuffer>], name) });
  const folder = join(roost.dir, 'storage', record.collectionId, record.id);
  return {
    url: `/api/files/open/${record.id}/${record.cover}`,
    thumbs: join(folder, `thumbs_${record.cover}`),
    file: join(folder, record.cover),
  };
}

const get = (url: string): Promise<TestResponse> => roost.inject({ url });

async function measures(response: TestResponse): Promise<string> {
  const { width, height, format } = await sharp(response.raw).metadata();
  return `${width}x${height} ${format}`;
}

/** The colour of the middle of the top and of the bottom row. */
async function ends(response: TestResponse): Promise<string[]> {
  const { data, info } = await sharp(response.raw).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colour = (row: number) => {
    const at = (row * info.width + Math.floor(info.width / 2)) * 3;
    const [red, green, blue] = data.subarray(at, at + 3);
    const brightest = Math.max(red, green, blue);
    return brightest === red ? 'red' : brightest === green ? 'green' : 'blue';
  };
  return [colour(0), colour(info.height - 1)];
}

describe('geometry', () => {
  it.each([
    ['100x100', '100x100'],
    ['50x30', '50x30'],
    ['50x30t', '50x30'],
    ['50x30b', '50x30'],
    ['60x60f', '30x60'],
    ['0x40', '20x40'],
    ['40x0', '40x80'],
    ['300x300', '300x300'],
  ])('FS-82 %s of an image of 200x400 is %s', async (size, expected) => {
    const { url } = await store(await stripes(200, 400), 'a.png');
    expect(await measures(await get(`${url}?thumb=${size}`))).toBe(`${expected} png`);
  });

  it('FS-82 crops keep the middle, the top or the bottom', async () => {
    const { url } = await store(await stripes(90, 900), 'a.png');
    expect(await ends(await get(`${url}?thumb=50x30`))).toEqual(['green', 'green']);
    expect(await ends(await get(`${url}?thumb=50x30t`))).toEqual(['red', 'red']);
    expect(await ends(await get(`${url}?thumb=50x30b`))).toEqual(['blue', 'blue']);
    expect(await ends(await get(`${url}?thumb=60x60f`))).toEqual(['red', 'blue']);
  });

  it('FS-82 fitting never enlarges, everything else does', async () => {
    const { url } = await store(await stripes(20, 10), 'a.png');
    const sizes = await Promise.all(
      ['60x60f', '50x30', '0x40', '40x0', '100x100'].map(async (size) => measures(await get(`${url}?thumb=${size}`))),
    );
    expect(sizes).toEqual(['20x10 png', '50x30 png', '80x40 png', '40x20 png', '100x100 png']);
  });

  it('FS-82 turns the image upright first', async () => {
    // 6: the camera was turned; what lies on the left belongs to the top.
    const { url } = await store(await stripes(100, 200, 'jpeg', 6), 'a.jpg');
    expect(await measures(await get(`${url}?thumb=60x60f`))).toBe('60x30 jpeg');
    const { url: turned } = await store(await stripes(100, 200, 'jpeg', 3), 'a.jpg');
    expect(await ends(await get(`${turned}?thumb=60x60f`))).toEqual(['blue', 'red']);
  });
});

describe('formats', () => {
  it.each(['png', 'jpeg', 'gif', 'webp', 'avif'] as const)(
    'FS-83 a thumbnail of %s is of that type',
    async (format) => {
      const { url } = await store(await stripes(60, 60, format), `a.${format}`);
      const response = await get(`${url}?thumb=100x100`);
      expect(response.headers['content-type']).toBe(`image/${format}`);
      expect(await measures(response)).toBe(`100x100 ${format === 'avif' ? 'heif' : format}`);
      expect(response.headers['content-disposition']).toBe(`inline; filename=100x100_${url.split('/').at(-1)}`);
    },
  );

  it('FS-83 keeps alpha and drops metadata', async () => {
    const transparent = await sharp({
      create: { width: 40, height: 40, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
    })
      .png()
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .toBuffer();
    const { url } = await store(transparent, 'a.png');
    const metadata = await sharp((await get(`${url}?thumb=100x100`)).raw).metadata();
    expect([metadata.hasAlpha, metadata.exif, metadata.icc]).toEqual([true, undefined, undefined]);
    const photo = await sharp(await stripes(40, 40, 'jpeg'))
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer();
    const shown = await get(`${(await store(photo, 'a.jpg')).url}?thumb=100x100`);
    expect(shown.raw.includes('secret place')).toBe(false);
  });

  it('FS-83 FS-87 of an animation only the first frame is used', async () => {
    const frames = await Promise.all(
      ['red', 'green', 'blue'].map((background) =>
        sharp({ create: { width: 20, height: 20, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const animated = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(animated).metadata()).pages).toBe(3);
    const { url } = await store(animated, 'a.gif');
    const metadata = await sharp((await get(`${url}?thumb=100x100`)).raw).metadata();
    expect([metadata.format, metadata.pages ?? 1, metadata.height]).toEqual(['gif', 1, 100]);
  });

  it('FS-83 colours become sRGB', async () => {
    const cmyk = await sharp(await stripes(40, 40))
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer();
    const { url } = await store(cmyk, 'a.jpg');
    const response = await get(`${url}?thumb=100x100`);
    expect((await sharp(response.raw).metadata()).space).toBe('srgb');
  });
});

describe('which thumbnails there are', () => {
  it('FS-80 sizes that nobody listed, and nonsense, give the original', async () => {
    const image = await stripes(60, 60);
    const { url, thumbs } = await store(image, 'a.png');
    for (const size of ['', '100X100', '101x101', '0x0', '50x30f', 'x', '100x100t', '%20100x100', '-1x5', '9000x10']) {
      const response = await get(`${url}?thumb=${size}`);
      expect([response.status, response.raw.equals(image)], size).toEqual([200, true]);
      expect(response.headers['content-disposition']).not.toContain('x100_');
    }
    await expect(readdir(thumbs)).rejects.toThrow();
  });

  it('FS-80 FS-87 files that are no images of these types give the original', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>',
    );
    const tiff = await sharp(await stripes(10, 10))
      .tiff()
      .toBuffer();
    for (const [content, name] of [
      [svg, 'a.svg'],
      [tiff, 'a.tiff'],
      [Buffer.from('text'), 'a.png'],
    ] as const) {
      const { url, thumbs } = await store(content, name);
      expect((await get(`${url}?thumb=100x100`)).raw.equals(content), name).toBe(true);
      await expect(readdir(thumbs), name).rejects.toThrow();
    }
  });

  it('FS-31 FS-81 one is kept beside its file, and served without looking at that again', async () => {
    const { url, thumbs, file } = await store(await stripes(60, 60), 'a.png');
    const first = await get(`${url}?thumb=100x100`);
    const name = `100x100_${url.split('/').at(-1)}`;
    expect((await readdir(thumbs)).sort()).toEqual([name, `${name}.attrs`]);
    await writeFile(file, 'no image any more');
    const second = await get(`${url}?thumb=100x100`);
    expect([second.raw.equals(first.raw), second.headers.etag]).toEqual([true, first.headers.etag]);
    expect(second.headers.etag).not.toBe((await get(url)).headers.etag);
    expect((await readdir(join(roost.dir, '.temp'))).filter((each) => each.startsWith('thumb'))).toEqual([]);
  });

  it('FS-85 is made once, however many ask at the same time', async () => {
    const { url, thumbs } = await store(await stripes(1200, 1200), 'a.png');
    const write = vi.spyOn(roost.app.get(StorageService, { strict: false }), 'write');
    const responses = await Promise.all(Array.from({ length: 20 }, () => get(`${url}?thumb=100x100`)));
    expect(new Set(responses.map(({ raw }) => raw.toString('base64'))).size).toBe(1);
    expect(await measures(responses[0]!)).toBe('100x100 png');
    expect(await readdir(thumbs)).toHaveLength(2);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('FS-36 a thumbnail of a file that was deleted meanwhile does not stay', async () => {
    const { url, file } = await store(await stripes(3000, 3000), 'a.png');
    const [asked] = await Promise.all([get(`${url}?thumb=100x100`), rm(file)]);
    expect([200, 404]).toContain(asked.status);
    expect((await readdir(join(file, '..'), { recursive: true })).filter((name) => name.includes('100x100'))).toEqual(
      [],
    );
  });
});

describe('failures', () => {
  it('FS-84 a damaged image is sent as it is, with a warning, and not tried again for a minute', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const image = await stripes(400, 400, 'jpeg');
    const damaged = image.subarray(0, image.length / 2);
    const { url, file } = await store(damaged, 'a.jpg');
    const failed = await get(`${url}?thumb=100x100`);
    expect([failed.status, failed.raw.equals(damaged)]).toEqual([200, true]);
    expect(failed.headers).toMatchObject({ 'content-type': 'image/jpeg', 'cache-control': 'no-cache' });
    expect(failed.headers.etag).toBe((await get(url)).headers.etag);
    expect(warn).toHaveBeenCalledTimes(1);
    await writeFile(file, image);
    roost.clock.advance(59_000);
    expect((await get(`${url}?thumb=100x100`)).raw.equals(image)).toBe(true);
    expect(warn).toHaveBeenCalledTimes(1);
    roost.clock.advance(1_000);
    expect(await measures(await get(`${url}?thumb=100x100`))).toBe('100x100 jpeg');
    roost.clock.reset();
  });

  it('FS-85 images of more than 100 megapixels are not decoded', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const huge = await sharp({ create: { width: 10_100, height: 10_000, channels: 3, background: 'red' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const { url } = await store(huge, 'a.png');
    expect((await get(`${url}?thumb=100x100`)).raw.equals(huge)).toBe(true);
    expect(String(warn.mock.calls[0]?.[0])).toMatch(/pixel/i);
  });

  it('FS-85 a side that follows the aspect is not made beyond 8192 pixels either', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const line = await sharp({ create: { width: 1000, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const lying = await store(line, 'lying.png');
    expect((await get(`${lying.url}?thumb=0x40`)).raw.equals(line)).toBe(true);
    expect(String(warn.mock.calls[0]?.[0])).toMatch(/too large/);
    expect(await measures(await get(`${lying.url}?thumb=40x0`))).toBe('40x1 png');
    const turned = await sharp(line).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const standing = await store(turned, 'standing.jpg');
    expect((await get(`${standing.url}?thumb=40x0`)).raw.equals(turned)).toBe(true);
    expect(await measures(await get(`${standing.url}?thumb=0x40`))).toBe('1x40 jpeg');
  });

  it('FS-84 a thumbnail that cannot be kept does not keep the file from being sent', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const image = await stripes(60, 60);
    const { url, thumbs } = await store(image, 'a.png');
    await writeFile(thumbs, 'a file where the folder should be');
    expect((await get(`${url}?thumb=100x100`)).raw.equals(image)).toBe(true);
    await rm(thumbs);
    await mkdir(thumbs);
    await chmod(thumbs, 0o700);
  });
});

it('FS-86 others are answered while thumbnails are made', async () => {
  const image = await stripes(4000, 3000, 'jpeg');
  const stored = await Promise.all(Array.from({ length: 4 }, () => store(image, 'a.jpg')));
  const ready: TestResponse[] = [];
  const making = stored.map(async ({ url }) => ready.push(await get(`${url}?thumb=100x100`)));
  let answered = 0;
  while (ready.length === 0 && answered < 100) {
    expect((await get('/api/health')).status).toBe(200);
    answered++;
    // A request without a network never lets the event loop turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(making);
  expect(ready.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answered).toBeGreaterThan(5);
});

it('FS-85 a request waits for its turn, and gets the original when that takes too long', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  const busy = await startRoost({ config: { ROOST_THUMBS_MAX_WORKERS: 1, ROOST_THUMBS_MAX_WAIT: 1 } });
  try {
    await busy.createCollections(...FILE_COLLECTIONS);
    const { Thumbnailer } = await import('../../src/files/thumbnailer.js');
    const { turns } = busy.app.get(Thumbnailer, { strict: false }) as unknown as { turns: TurnQueue };
    const finish = await turns.acquire();
    const image = await stripes(60, 60);
    const record = await createWithFiles(busy, 'open', {
      cover: new File([image as Uint8Array<ArrayBuffer>], 'a.png'),
    });
    const url = `/api/files/open/${record.id}/${record.cover}?thumb=100x100`;
    expect((await busy.inject({ url })).raw.equals(image)).toBe(true);
    expect(warn).toHaveBeenCalledTimes(1);
    finish();
    expect(await measures(await busy.inject({ url }))).toBe('100x100 png');
  } finally {
    await busy.close();
  }
});
