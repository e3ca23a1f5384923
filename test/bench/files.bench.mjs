import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';

const KIB = 1024;
const MIB = 1024 * KIB;
const PASSWORD = 'bench-password';
const THUMBNAILS_FOR_MEDIAN = 9;
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
  const dir = bench.tempDir();
  const folder = bench.tempDir();
  bench.command(dir, 'superuser', 'upsert', 'root@example.com', PASSWORD);
  const roost = await bench.roost(dir);
  const bare = await bench.script('./bare-fastify.mjs', ['', '', folder]);
  await createCollection(roost.origin);
  const both = { roost, bare, folder };
  await uploads(bench, roost);
  await downloads(bench, both);
  const photo = await photoOf12Megapixels();
  await thumbnails(bench, both, photo);
  await othersMeanwhile(bench, roost, photo);
  await roost.stop();
  await bare.stop();
}

/** FS-20: memory must not grow with what is uploaded. */
async function uploads(bench, roost) {
  // What is needed for the first one only, such as the code itself, is none of the size.
  await upload(roost.origin, MIB);
  for (const [count, size] of [
    [1, 200 * MIB],
    [20, 5 * MIB],
  ]) {
    const growth = watchMemory(roost);
    const started = performance.now();
    await Promise.all(Array.from({ length: count }, () => upload(roost.origin, size)));
    const seconds = (performance.now() - started) / 1000;
    bench.report(
      `memory of ${count} upload${count > 1 ? 's' : ''} of ${size / MIB} MiB${count > 1 ? ' at once' : ''}`,
      {
        MiB: growth(),
        goal: '< 64',
        'MiB/s': (count * size) / MIB / seconds,
      },
    );
  }
}

/** The same file from Roost, with everything that is asked before, and from @fastify/static. */
async function downloads(bench, { roost, bare, folder }) {
  for (const [name, size, connections] of [
    ['1 KiB', KIB, 32],
    ['10 MiB', 10 * MIB, 8],
  ]) {
    const content = Buffer.alloc(size, 'roost ');
    const url = roost.origin + (await store(roost.origin, content, 'file.txt'));
    writeFileSync(join(folder, `${size}.txt`), content);
    const results = await bench.compare({
      own: () => loadAndCpu(bench, roost, url, connections),
      baseline: () => loadAndCpu(bench, bare, `${bare.origin}/files/${size}.txt`, connections),
    });
    bench.report(`download ${name}, to @fastify/static`, ratio(results, 0.7));
  }
}

async function thumbnails(bench, { roost, bare, folder }, photo) {
  writeFileSync(join(folder, 'photo.jpg'), photo);
  const own = { times: [], cpu: 0 };
  const alone = { times: [], cpu: 0 };
  const measure = async (into, server, work) => {
    const before = server.cpuTime();
    into.times.push(await work());
    into.cpu += ((server.cpuTime() - before) * 1000) / THUMBNAILS_FOR_MEDIAN;
  };
  // The first of each loads the library.
  for (let index = 0; index <= THUMBNAILS_FOR_MEDIAN; index++) {
    const path = await store(roost.origin, photo, 'photo.jpg');
    await measure(own, roost, async () => {
      const started = performance.now();
      await read(`${roost.origin}${path}?thumb=100x100`);
      return performance.now() - started;
    });
    await measure(alone, bare, async () => JSON.parse(await read(`${bare.origin}/thumbnail/photo.jpg`)).ms);
    if (index === 0) own.cpu = alone.cpu = 0;
  }
  const [ms, baseline] = [median(own.times.slice(1)), median(alone.times.slice(1))];
  bench.report('first thumbnail of a 12-megapixel JPEG, to sharp alone', {
    ratio: ms / baseline,
    goal: '<= 1.3',
    ms,
    'baseline ms': baseline,
    'cpu ms': own.cpu,
    'baseline cpu ms': alone.cpu,
  });

  const path = `${await store(roost.origin, photo, 'photo.jpg')}?thumb=100x100`;
  const { length } = await read(roost.origin + path);
  const plain = await store(roost.origin, Buffer.alloc(length, 'roost '), 'file.txt');
  const results = await bench.compare({
    own: () => loadAndCpu(bench, roost, roost.origin + path),
    baseline: () => loadAndCpu(bench, roost, roost.origin + plain),
  });
  bench.report(`cached thumbnail, to a plain file of ${length} bytes`, ratio(results, 0.95));
}

/** FS-86: making thumbnails must not hold up the others. */
async function othersMeanwhile(bench, { origin }, photo) {
  const paths = [];
  for (let index = 0; index < THUMBNAILS_AT_ONCE; index++) paths.push(await store(origin, photo, 'photo.jpg'));
  const agent = new Agent({ keepAlive: true });
  const probe = async (isOver) => {
    const times = [];
    while (!isOver()) {
      const started = performance.now();
      await read(`${origin}/api/health`, agent);
      times.push(performance.now() - started);
      await sleep(2);
    }
    return times.sort((a, b) => a - b);
  };
  const end = performance.now() + 1000;
  const idle = await probe(() => performance.now() > end);
  const started = performance.now();
  let isDone = false;
  const making = Promise.all(paths.map((path) => read(`${origin}${path}?thumb=100x100`))).finally(
    () => (isDone = true),
  );
  const busy = await probe(() => isDone);
  await making;
  agent.destroy();
  bench.report(`health while ${THUMBNAILS_AT_ONCE} thumbnails of 12 megapixels are made`, {
    'p99 ms': busy[Math.floor((busy.length - 1) * 0.99)],
    goal: '< 100',
    'p50 ms': median(busy),
    'idle p99 ms': idle[Math.floor((idle.length - 1) * 0.99)],
    'made in s': (performance.now() - started) / 1000,
  });
}

/** Load on a server, and the milliseconds of its processor one request took. */
async function loadAndCpu(bench, server, url, connections = 32) {
  const before = server.cpuTime();
  const seconds = 3;
  const result = await bench.load(url, { connections, seconds });
  return { ...result, cpu: ((server.cpuTime() - before) * 1000) / (result.rate * seconds) };
}

function ratio({ own, baseline }, goal) {
  return {
    ratio: own.rate / baseline.rate,
    goal: `>= ${goal}`,
    'req/s': own.rate,
    'cpu ms': own.cpu,
    'baseline cpu ms': baseline.cpu,
    p50: own.p50,
    p99: own.p99,
    errors: own.errors + baseline.errors,
  };
}

/** Looks at the memory of a server every few milliseconds; tells by how much it was larger than now, in MiB. */
function watchMemory(server) {
  const before = server.memory();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, server.memory())), 5);
  return () => {
    clearInterval(timer);
    return peak - before;
  };
}

async function createCollection(origin) {
  const call = async (path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) };
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const identity = { identity: 'root@example.com', password: PASSWORD };
  const { token } = await call('/api/collections/_superusers/auth-with-password', identity);
  await call('/api/collections', COLLECTION, token);
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

async function read(url, agent) {
  const [response] = await once(get(url, { agent }), 'response');
  const chunks = await response.toArray();
  if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}.`);
  return Buffer.concat(chunks);
}

/** Grain in it, so that it is about as large as what a camera makes. */
function photoOf12Megapixels() {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 };
  return sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'black', noise } })
    .jpeg()
    .toBuffer();
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
