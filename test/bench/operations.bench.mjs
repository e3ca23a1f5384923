import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Measurement } from './measurement.mjs';
import { middle } from './middle.mjs';

const CONNECTIONS = 16;

const SWITCHING = fileURLToPath(new URL('switching-main.mjs', import.meta.url));

/** Under full load the log writes every three seconds, and knows after the second time that it is under such a load. */
const TURNS = { rounds: 9, length: 4 };

/** Times the usual turn, for settings that change between requests. */
const SWITCHING_LENGTH = 8;
const NOTES = '/api/collections/notes/records';
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
  const roost = await bench.roost({ main: SWITCHING });
  const token = await roost.setUp();
  const api = (method, path, body) => roost.load.call(method, path, { token, body });
  await api('POST', '/api/collections', COLLECTION);
  const { id } = await api('POST', NOTES, { title: 'A note' });
  const views = { health: { path: '/api/health' }, 'record view': { path: `${NOTES}/${id}` } };
  const context = { bench, roost, api, views };
  await logging(context);
  await rateLimits(context);
  await backup(context);
}

/** Entries are taken within the request, and written later: a comparison of turns tells of both, but not precisely. */
async function logging(context) {
  const [on, off] = [{ logs: { maxDays: 5, minLevel: 0 } }, { logs: { maxDays: 0 } }];
  await compareTurns(context, 'every request logged', on, off);
  await context.api('PATCH', '/api/settings', { ...on, rateLimits: { enabled: false } });
  await switchBetween(context, 'entries taken for the log', on, off);
}

/** Ten rules of which the last found is the one that applies, and none is ever reached. */
async function rateLimits(context) {
  const rule = (label) => ({ label, audience: '', duration: 10, maxRequests: 1_000_000_000 });
  const others = Array.from({ length: 9 }, (_, index) => rule(`/api/other-${index}/`));
  const limits = (enabled) => ({ rateLimits: { enabled, rules: [...others, rule('/api/')] } });
  await context.api('PATCH', '/api/settings', { logs: { maxDays: 0 } });
  await switchBetween(context, 'ten rate limit rules', limits(true), limits(false));
  await context.api('PATCH', '/api/settings', { logs: { maxDays: 5 } });
}

/** What settings cost the requests themselves, when they change from one request to the next (switching-main.mjs). */
async function switchBetween({ bench, roost, views }, what, settings, without) {
  const switching = `/switch?between=${encodeURIComponent(JSON.stringify([without, settings]))}`;
  const seconds = roost.load.seconds * SWITCHING_LENGTH;
  for (const [name, request] of Object.entries(views)) {
    await roost.load.repeat(request, { connections: CONNECTIONS });
    await roost.load.call('GET', switching);
    const measured = await roost.load.repeat(request, { connections: CONNECTIONS, seconds });
    const blocks = await roost.load.call('GET', '/switch');
    const { median: ratio, ...besides } = middle(blocks.map(([off, on]) => off / on));
    const { median: added } = middle(blocks.map(([off, on]) => on - off));
    bench.report.add(`${name}, ${what}`, measured, {
      ratio,
      to: 'those without in between',
      figures: { ...besides, 'µs more': added },
    });
  }
}

async function compareTurns({ bench, roost, api, views }, what, settings, without) {
  const measured = (request, values) => async () => {
    await api('PATCH', '/api/settings', values);
    // What waits for the log is written first, and in nobody's turn.
    await api('GET', '/api/logs?perPage=1');
    return roost.load.repeat(request, { connections: CONNECTIONS, seconds: roost.load.seconds * TURNS.length });
  };
  for (const [name, request] of Object.entries(views)) {
    await bench.compare(`${name}, ${what}`, {
      own: measured(request, settings),
      to: 'the same without',
      baseline: measured(request, without),
      rounds: TURNS.rounds,
    });
  }
}

/** A data directory of about 1 GiB is backed up while records are written and read at a steady pace. */
async function backup({ bench, roost, api, views }) {
  await fill(join(roost.dir, 'storage', COLLECTION.id));
  const before = await steady(roost.load, views['record view'], sleep(5_000));
  const growth = roost.watchMemory();
  let during;
  const made = await Measurement.of(undefined, async (measurement) => {
    during = await steady(
      roost.load,
      views['record view'],
      measurement.time(() => api('POST', '/api/backups', { name: 'bench.zip' })),
    );
  });
  const [{ size }] = await api('GET', '/api/backups');
  bench.report.add(`backup of ${Math.round(size / 2 ** 20)} MiB under ${WRITES_PER_SECOND} writes/s`, made, {
    figures: { 'MiB more memory': growth() },
  });
  for (const kind of ['write', 'read']) {
    bench.report.add(`${kind}s during the backup`, during[kind], {
      baseline: before[kind],
      to: 'before, by p99',
      ratio: during[kind].quantile(0.99) / before[kind].quantile(0.99),
      figures: { longest: during[kind].quantile(1) },
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

/** Writes and reads that begin at fixed times, until a promise is fulfilled. */
async function steady(load, view, until) {
  let isOver = false;
  const over = until.finally(() => (isOver = true));
  const create = { method: 'POST', path: NOTES, body: '{"title":"Written meanwhile"}' };
  const [write, read] = await Promise.all(
    [create, view].map((request) =>
      load.pace(() => (isOver ? undefined : request), { perSecond: WRITES_PER_SECOND, seconds: Infinity }),
    ),
  );
  await over;
  return { write, read };
}
