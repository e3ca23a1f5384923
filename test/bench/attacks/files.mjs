// Pictures, and what is made of them.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { form } from '../attack-target.mjs';

const sharp = createRequire(import.meta.url)('sharp');
const pictures = {
  id: 'bench_pics____1',
  name: 'pictures',
  type: 'base',
  viewRule: '',
  createRule: '',
  fields: [
    {
      name: 'picture',
      type: 'file',
      maxSelect: 1,
      maxSize: 200_000_000,
      thumbs: ['100x100', '0x50', '50x0', '100x100f', '70x70t'],
    },
  ],
};

/** Uploads one picture so many times; their addresses. */
async function upload(target, picture, filename, count) {
  const { body, headers } = form([{ name: 'picture', value: picture, filename, type: 'image/png' }]);
  const addresses = [];
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${target.origin}/api/collections/pictures/records`, {
      method: 'POST',
      body,
      headers,
    });
    const { id, picture: name } = await response.json();
    addresses.push(`/api/files/pictures/${id}/${name}`);
  }
  return addresses;
}

function thumbs(name, make, filename = 'a.png', sizes = pictures.fields[0].thumbs) {
  return {
    name,
    collections: [{ ...pictures, fields: pictures.fields.map((field) => ({ ...field, thumbs: sizes })) }],
    prepare: async (target) => upload(target, await make(), filename, 5),
    run: (target, addresses) =>
      Promise.all(
        addresses.flatMap((address) => sizes.map((thumb) => target.send('GET', `${address}?thumb=${thumb}`))),
      ),
  };
}

const canvas = (width, height, channels = 3) => ({
  limitInputPixels: false,
  create: { width, height, channels, background: { r: 9, g: 9, b: 9, alpha: 1 } },
});

/** A chunk of a PNG. */
function chunk(type, content) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

/** A small PNG with fifty texts, all of which become this many bytes when they are inflated. */
async function wordyPng(length) {
  const png = await sharp(canvas(50, 50)).png().toBuffer();
  const text = deflateSync(Buffer.alloc(length / 50, 'x'), { level: 9 });
  const texts = Array.from({ length: 50 }, (_, index) =>
    chunk('zTXt', Buffer.concat([Buffer.from(`k${index}\0\0`), text])),
  );
  // Behind the signature and the first chunk.
  return Buffer.concat([png.subarray(0, 33), ...texts, png.subarray(33)]);
}

/** A JPEG with so many segments of EXIF data, 60 KB each. */
async function wordyJpeg(count) {
  const jpeg = await sharp(canvas(500, 500)).jpeg().toBuffer();
  const segment = Buffer.alloc(60_002, 7);
  segment.writeUInt16BE(0xffe1);
  segment.writeUInt16BE(60_000, 2);
  segment.write('Exif\0\0', 4, 'latin1');
  return Buffer.concat([jpeg.subarray(0, 2), ...Array.from({ length: count }, () => segment), jpeg.subarray(2)]);
}

export const attacks = [
  thumbs('thumbnails of five JPEGs with 96 MB of EXIF data', () => wordyJpeg(1600), 'a.jpg'),
  {
    name: 'thumbnails of 100 pictures, while somebody else wants one',
    collections: [pictures],
    prepare: async (target) => {
      const picture = await sharp(canvas(5000, 4000)).jpeg().toBuffer();
      return upload(target, picture, 'a.jpg', 101);
    },
    run: async (target, [other, ...addresses]) => {
      void target.together(500, (index) => {
        const [address, thumb] = [addresses[index % 100], pictures.fields[0].thumbs[index % 5]];
        return target.send('GET', `${address}?thumb=${thumb}`);
      });
      await sleep(300);
      return target.waitOf('a thumbnail for somebody else', 'GET', `${other}?thumb=100x100`);
    },
  },
  thumbs('thumbnails of five interlaced 16-bit pictures at once', () =>
    sharp(canvas(6900, 6900, 4))
      .toColourspace('rgb16')
      .png({ progressive: true })
      .toBuffer(),
  ),
  thumbs(
    'thumbnails of five progressive JPEGs at once',
    () => sharp(canvas(6900, 6900)).jpeg({ progressive: true }).toBuffer(),
    'a.jpg',
  ),
  ...['jpeg', 'webp'].map((format) =>
    thumbs(
      `thumbnails of 25 megapixels of five pictures at once, ${format}`,
      () => sharp(canvas(4000, 4000)).toFormat(format).toBuffer(),
      `a.${format}`,
      ['5000x5000', '5000x4999t', '4999x5000b', '0x4998'],
    ),
  ),
  thumbs(
    'thumbnails of five animations at once',
    () => sharp(canvas(500, 50_000)).gif({ delay: 10 }).toBuffer(),
    'a.gif',
  ),
  thumbs(
    'thumbnails of five AVIFs of 36 megapixels at once',
    () => sharp(canvas(6000, 6000)).avif({ effort: 0 }).toBuffer(),
    'a.avif',
  ),
  ...[
    [4000, 3000],
    [2400, 2500],
  ].map(([width, height]) =>
    thumbs(
      `thumbnails of five AVIFs of ${(width * height) / 1e6} megapixels at once`,
      () => sharp(canvas(width, height)).avif({ effort: 0, chromaSubsampling: '4:4:4' }).toBuffer(),
      'a.avif',
    ),
  ),
  thumbs('thumbnails of five PNGs with texts that become 2.5 GB', () => wordyPng(2_500_000_000)),
  thumbs('thumbnails of five PNGs with texts that become 4 MB', () => wordyPng(4_000_000)),
];
