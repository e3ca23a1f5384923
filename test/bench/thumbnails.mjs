// What making thumbnails costs the others: p99 of GET /api/health while 50 thumbnails of 12-megapixel JPEGs are made
// (FS-86: under 100 ms). Run after `npm run build:server`. The load comes from a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import sharp from 'sharp';

const IMAGES = 50;

if (process.argv[2] === 'load') await load();
else await serve();

async function serve() {
  const dist = process.env.ROOST_DIST ?? new URL('../../dist/', import.meta.url).href;
  const { createTestRoost } = await import(`${dist}testing/index.js`);
  const roost = await createTestRoost();
  try {
    await roost.createSuperuser();
    const fields = [{ name: 'photo', type: 'file', maxSize: 50_000_000 }];
    await roost.createCollections({ name: 'photos', type: 'base', viewRule: '', createRule: '', fields });
    const noise = { type: 'gaussian', mean: 128, sigma: 30 };
    const photo = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'black', noise } })
      .jpeg()
      .toBuffer();
    const paths = [];
    for (let index = 0; index < IMAGES; index++) {
      const body = new FormData();
      body.append('photo', new File([photo], 'photo.jpg'));
      const record = (await roost.inject({ method: 'POST', url: '/api/collections/photos/records', body })).body;
      paths.push(`/api/files/photos/${record.id}/${record.photo}?thumb=100x100`);
    }
    const origin = await roost.listen();
    const child = fork(new URL(import.meta.url), ['load'], { stdio: 'inherit' });
    child.send({ origin, paths, megabytes: photo.length / 1e6 });
    await once(child, 'exit');
  } finally {
    await roost.close();
  }
}

async function load() {
  const [{ origin, paths, megabytes }] = await once(process, 'message');
  const agent = new Agent({ keepAlive: true });
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      get(origin + path, { agent }, (response) => {
        response.resume().on('end', () => resolve(performance.now() - start));
      }).on('error', reject);
    });
  const probe = async (until) => {
    const times = [];
    while (!until()) {
      times.push(await ask('/api/health'));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return times.sort((a, b) => a - b);
  };
  const at = (times, share) => `${times[Math.floor((times.length - 1) * share)].toFixed(1)} ms`;
  const end = performance.now() + 1000;
  const idle = await probe(() => performance.now() > end);
  let done = false;
  const start = performance.now();
  const making = Promise.all(paths.map(ask)).then(() => (done = true));
  const busy = await probe(() => done);
  await making;
  console.log(
    `${paths.length} thumbnails of ${megabytes.toFixed(1)} MB in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
  for (const [name, times] of [
    ['idle', idle],
    ['busy', busy],
  ]) {
    console.log(
      `health while ${name}: p50 ${at(times, 0.5)}, p99 ${at(times, 0.99)}, most ${at(times, 1)} (${times.length})`,
    );
  }
  process.exit();
}
