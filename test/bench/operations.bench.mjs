import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const PASSWORD = 'bench-password';
const CONNECTIONS = 16;
const COLLECTION = {
  id: 'bench_notes_001',
  name: 'notes',
  type: 'base',
  viewRule: '',
  createRule: '',
  fields: [{ name: 'title', type: 'text' }],
};

/** Files a backup has to carry. */
const FILES = 64;
const FILE_SIZE = 2 ** 24;

const WRITES_PER_SECOND = 50;

/** What the log, rate limits and a backup cost the requests beside them. */
export async function run(bench) {
  const dir = bench.tempDir();
  bench.command(dir, 'superuser', 'upsert', 'root@example.com', PASSWORD);
  const roost = await bench.roost(dir);
  const api = await signIn(roost.origin);
  await api('POST', '/api/collections', COLLECTION);
  const { id } = await api('POST', '/api/collections/notes/records', { title: 'A note' });
  const paths = { health: '/api/health', 'record view': `/api/collections/notes/records/${id}` };
  await logging(bench, roost, api, paths);
  await rateLimits(bench, roost, api, paths);
  await backup(bench, { roost, api, dir, path: paths['record view'] });
  await roost.stop();
}

async function logging(bench, roost, api, paths) {
  const measured = (path, logs) => async () => {
    await api('PATCH', '/api/settings', { logs });
    return load(bench, roost, path);
  };
  for (const [name, path] of Object.entries(paths)) {
    const { own, baseline } = await bench.compare({
      own: measured(path, { maxDays: 5, minLevel: 0 }),
      baseline: measured(path, { maxDays: 0 }),
    });
    bench.report(`${name} with every request logged, to none`, ratio(own, baseline));
  }
  await api('PATCH', '/api/settings', { logs: { maxDays: 5, minLevel: 0 } });
}

/** The load, and the microseconds of processor time that a request took: they say more where a machine is shared. */
async function load(bench, roost, path) {
  const [cpu, started] = [roost.cpuTime(), performance.now()];
  const result = await bench.load(roost.origin + path, { connections: CONNECTIONS });
  const requests = (result.rate * (performance.now() - started)) / 1000;
  return { ...result, cost: ((roost.cpuTime() - cpu) * 1e6) / requests };
}

/** Ten rules of which the last found is the one that applies, and none is ever reached. */
async function rateLimits(bench, roost, api, paths) {
  const rule = (label) => ({ label, audience: '', duration: 10, maxRequests: 1_000_000_000 });
  const others = Array.from({ length: 9 }, (_, index) => rule(`/api/other-${index}/`));
  const rules = [...others, rule('/api/')];
  const measured = (path, enabled) => async () => {
    await api('PATCH', '/api/settings', { rateLimits: { enabled, rules } });
    return load(bench, roost, path);
  };
  for (const [name, path] of Object.entries(paths)) {
    const { own, baseline } = await bench.compare({ own: measured(path, true), baseline: measured(path, false) });
    bench.report(`${name} under ten rate limit rules, to none`, ratio(own, baseline));
  }
  await api('PATCH', '/api/settings', { rateLimits: { enabled: false } });
}

/** A data directory of about 1 GiB is backed up while records are written and read at a steady pace. */
async function backup(bench, { roost, api, dir, path }) {
  await fill(join(dir, 'storage', COLLECTION.id));
  const before = await steady(roost.origin, path, sleep(5_000));
  const memory = roost.memory();
  let highest = memory;
  const watch = setInterval(() => (highest = Math.max(highest, roost.memory())), 250);
  const started = performance.now();
  const made = api('POST', '/api/backups', { name: 'bench.zip' });
  const during = await steady(roost.origin, path, made);
  clearInterval(watch);
  const [{ size }] = await api('GET', '/api/backups');
  bench.report(`backup of ${Math.round(size / 2 ** 20)} MiB under ${WRITES_PER_SECOND} writes/s`, {
    seconds: (performance.now() - started) / 1000,
    'MiB more memory': highest - memory,
  });
  for (const kind of ['write', 'read']) {
    bench.report(`${kind}s during the backup, to before`, {
      ratio: percentile(during[kind], 0.99) / percentile(before[kind], 0.99),
      p50: percentile(during[kind], 0.5),
      p99: percentile(during[kind], 0.99),
      longest: percentile(during[kind], 1),
      'p99 before': percentile(before[kind], 0.99),
      count: during[kind].length,
      errors: during.errors + before.errors,
    });
  }
}

/** Files that cannot be compressed, put where the files of records are. */
async function fill(folder) {
  const block = randomFillSync(Buffer.alloc(2 ** 20));
  for (let file = 0; file < FILES; file++) {
    const record = join(folder, `filler${String(file).padStart(9, '0')}`);
    mkdirSync(record, { recursive: true });
    const stream = createWriteStream(join(record, 'filler.bin'));
    for (let written = 0; written < FILE_SIZE; written += block.length) {
      if (!stream.write(block)) await once(stream, 'drain');
    }
    stream.end();
    await once(stream, 'close');
  }
}

/** Latencies of writes and reads that begin at fixed times, until a promise is fulfilled. */
async function steady(origin, path, until) {
  const latencies = { write: [], read: [], errors: 0 };
  let isOver = false;
  const over = until.finally(() => (isOver = true));
  const running = new Set();
  const timed = async (kind, request) => {
    const started = performance.now();
    const response = await request();
    await response.text();
    latencies[kind].push(performance.now() - started);
    if (!response.ok) latencies.errors++;
  };
  const begin = (kind, request) => {
    const task = timed(kind, request)
      .catch(() => latencies.errors++)
      .finally(() => running.delete(task));
    running.add(task);
  };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Written meanwhile' });
  const began = performance.now();
  for (let count = 0; !isOver; count++) {
    begin('write', () => fetch(`${origin}/api/collections/notes/records`, { method: 'POST', headers, body }));
    begin('read', () => fetch(origin + path));
    await sleep(Math.max(0, began + ((count + 1) * 1_000) / WRITES_PER_SECOND - performance.now()));
  }
  await Promise.all(running);
  await over;
  return latencies;
}

function ratio(own, baseline) {
  return {
    ratio: own.rate / baseline.rate,
    'cpu ratio': baseline.cost / own.cost,
    'req/s': own.rate,
    p50: own.p50,
    p99: own.p99,
    errors: own.errors + baseline.errors,
  };
}

function percentile(latencies, part) {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

async function signIn(origin) {
  let token = '';
  const api = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', authorization: token };
    const response = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text === '' ? undefined : JSON.parse(text);
  };
  const identity = { identity: 'root@example.com', password: PASSWORD };
  ({ token } = await api('POST', '/api/collections/_superusers/auth-with-password', identity));
  return api;
}
