import sharp from 'sharp';
import { THUMBNAIL } from './blog.mjs';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Large ones are sent and taken by so many at a time. */
const LARGE_AT_ONCE = 8;
const FIRST_THUMBNAILS = 5;
const BOUNDARY = 'bench-boundary';

/** Downloads of small and large files, thumbnails that have to be made and those that are there, uploads. */
export async function files({ blog, load, report }) {
  await blog.openFiles();
  const store = (content, name) => storeFile(load, blog, content, name);
  const add = (what, measurement) => report.add(what, measurement, { group: 'files' });
  const small = await store(Buffer.alloc(KIB, 'roost '), 'small.txt');
  add('download of 1 KiB', await load.run({ path: small }));
  const large = await store(Buffer.alloc(10 * MIB, 'roost '), 'large.txt');
  add('download of 10 MiB', await load.run({ path: large }, { connections: LARGE_AT_ONCE }));

  const photo = await photoOf12Megapixels();
  const thumbnails = [];
  // The first one loads the library.
  while (thumbnails.length <= FIRST_THUMBNAILS) {
    thumbnails.push({ path: `${await store(photo, 'photo.jpg')}?thumb=${THUMBNAIL}` });
  }
  const made = await load.run((index) => thumbnails[index + 1], {
    connections: 1,
    seconds: Infinity,
  });
  add('first thumbnail of a 12-megapixel JPEG', made);
  add('cached thumbnail', await load.run(thumbnails[0]));

  const upload = {
    method: 'POST',
    path: blog.records('files'),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: formWith(Buffer.alloc(MIB, 'roost ')),
  };
  add('upload of 1 MiB', await load.run(upload, { connections: LARGE_AT_ONCE }));
}

/** Grain in it, so that it is about as large as what a camera makes. */
export function photoOf12Megapixels() {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 };
  return sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'black', noise } })
    .jpeg()
    .toBuffer();
}

/** Stores a file with a record of its own; its path. */
async function storeFile(load, blog, content, name) {
  const body = new FormData();
  body.append('file', new File([content], name));
  const response = await fetch(load.origin + blog.records('files'), { method: 'POST', body });
  if (!response.ok) throw new Error(await response.text());
  const { id, file } = await response.json();
  return `/api/files/${blog.name('files')}/${id}/${file}`;
}

function formWith(content) {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="upload.txt"\r\n`;
  return Buffer.concat([
    Buffer.from(`${head}Content-Type: text/plain\r\n\r\n`),
    content,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}
