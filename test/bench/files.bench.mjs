import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Measurement } from './measurement.mjs';
import { photoOf12Megapixels } from './workloads/files.mjs';

const KIB = 1024;
const MIB = 1024 * KIB;
const THUMBNAILS = 9;
const THUMBNAILS_AT_ONCE = 50;
const COLLECTION = {
  name: 'files',
  type: 'base',
  viewRule: '',
  createRule: '',
  fields: [{ name: 'file', type: 'file', maxSize: 300 * MIB }],
};

/** What sending files, making thumbnails and taking uploads cost, in time beside libraries alone and in memory. */
export async function run(bench) {
  const folder = bench.tempDir();
  const roost = await bench.roost();
  const bare = await bench.script('./bare-fastify.mjs', ['', '', folder]);
  await roost.load.call('POST', '/api/collections', { token: await roost.setUp(), body: COLLECTION });
  const context = { bench, roost, bare, folder };
  await uploads(context);
  await downloads(context);
  const photo = await photoOf12Megapixels();
  await thumbnails(context, photo);
  await othersMeanwhile(context, photo);
}

/** FS-20: memory must not grow with what is uploaded. */
async function uploads({ bench, roost }) {
  // What is needed for the first one only, such as the code itself, is none of the size.
  await upload(roost.origin, MIB);
  for (const [count, size, what] of [
    [1, 200, 'upload of 200 MiB'],
    [20, 5, 'uploads of 5 MiB, 20 at once'],
  ]) {
    const growth = roost.watchMemory();
    const measurement = await Measurement.of(roost, async (measurement) => {
      measurement.connections = count;
      const one = () => measurement.time(() => upload(roost.origin, size * MIB));
      await Promise.all(Array.from({ length: count }, one));
    });
    const figures = { 'MiB more memory': growth(), goal: '< 64', 'MiB/s': measurement.rate * size };
    bench.report.add(what, measurement, { figures });
  }
}

/** The same file from Roost, with everything that is asked before, and from @fastify/static. */
async function downloads({ bench, roost, bare, folder }) {
  for (const [name, size, connections] of [
    ['1 KiB', KIB, 32],
    ['10 MiB', 10 * MIB, 8],
  ]) {
    const content = Buffer.alloc(size, 'roost ');
    const path = await store(roost.origin, content, 'file.txt');
    writeFileSync(join(folder, `${size}.txt`), content);
    await bench.compare(`download ${name}`, {
      own: () => roost.load.run({ path }, { connections }),
      to: '@fastify/static',
      baseline: () => bare.load.run({ path: `/files/${size}.txt` }, { connections }),
      figures: () => ({ goal: '>= 0.7' }),
    });
  }
}

async function thumbnails({ bench, roost, bare, folder }, photo) {
  writeFileSync(join(folder, 'photo.jpg'), photo);
  // The first thumbnail loads the library.
  const [path, ...photos] = await storeMany(roost.origin, photo, 1 + THUMBNAILS);
  const { byteLength } = await (await fetch(roost.origin + path)).arrayBuffer();
  const inTurn = { connections: 1, seconds: Infinity, warmUp: false };
  const first = () => roost.load.run(each(photos.splice(0, THUMBNAILS / 3)), inTurn);
  const alone = () => bare.load.run(each(Array.from({ length: THUMBNAILS / 3 }, () => '/thumbnail/photo.jpg')), inTurn);
  await alone();
  await bench.compare('first thumbnail of a 12-megapixel JPEG', {
    own: first,
    to: 'sharp alone, by p50',
    baseline: alone,
    ratio: (own, baseline) => own.quantile(0.5) / baseline.quantile(0.5),
    figures: () => ({ goal: '<= 1.3' }),
  });

  const plain = await store(roost.origin, Buffer.alloc(byteLength, 'roost '), 'file.txt');
  await bench.compare('cached thumbnail', {
    own: () => roost.load.run({ path }),
    to: `a plain file of ${byteLength} bytes`,
    baseline: () => roost.load.run({ path: plain }),
    figures: () => ({ goal: '>= 0.95' }),
  });
}

/** FS-86: making thumbnails must not hold up the others. */
async function othersMeanwhile({ bench, roost }, photo) {
  const photos = await storeMany(roost.origin, photo, THUMBNAILS_AT_ONCE);
  const probe = (isOver, seconds) =>
    roost.load.pace(() => (isOver() ? undefined : { path: '/api/health' }), { perSecond: 200, seconds });
  const idle = await probe(() => false, 1);
  let isDone = false;
  const options = { connections: photos.length, seconds: Infinity, warmUp: false, isAlone: false };
  const making = roost.load.run(each(photos), options).finally(() => (isDone = true));
  const busy = await probe(() => isDone, Infinity);
  bench.report.add(`${THUMBNAILS_AT_ONCE} first thumbnails of 12 megapixels at once`, await making);
  bench.report.add('health meanwhile', busy, {
    baseline: idle,
    to: 'before, by p99',
    ratio: busy.quantile(0.99) / idle.quantile(0.99),
    figures: { goal: 'p99 < 100' },
  });
}

/** A request for each of these paths. */
function each(paths) {
  return (index) => paths[index] && { path: paths[index] };
}

/** Paths of thumbnails nobody has asked for yet. */
async function storeMany(origin, photo, count) {
  const paths = [];
  while (paths.length < count) paths.push(`${await store(origin, photo, 'photo.jpg')}?thumb=100x100`);
  return paths;
}

/** Stores a file with a record of its own; its path. */
async function store(origin, content, name) {
  const body = new FormData();
  body.append('file', new File([content], name));
  const response = await fetch(`${origin}/api/collections/files/records`, { method: 'POST', body });
  if (!response.ok) throw new Error(await response.text());
  const record = await response.json();
  return `/api/files/files/${record.id}/${record.file}`;
}

/** Sends a file of this size that is nowhere in memory as a whole. */
async function upload(origin, size) {
  const boundary = 'bench';
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const client = request(`${origin}/api/collections/files/records`, { method: 'POST', headers });
  const answered = once(client, 'response');
  const block = Buffer.alloc(64 * KIB, 'roost ');
  client.write(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n`);
  for (let sent = 0; sent < size; sent += block.length) if (!client.write(block)) await once(client, 'drain');
  client.end(`\r\n--${boundary}--\r\n`);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`The upload was answered with ${response.statusCode}.`);
  await once(response, 'end');
}
