import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStreams } from './event-streams.mjs';
import { Measurement } from './measurement.mjs';
import { Database } from './sqlite.mjs';

const STREAMS = 5_000;
const WRITES = 100;
const CHANGES = 9;
const SCHEMA = [
  { id: 'bench_members_1', name: 'members', type: 'auth', fields: [] },
  ...Object.entries({
    open: '',
    shared: 'shared = true || owner = @request.auth.id',
    owned: 'owner = @request.auth.id',
  }).map(([name, listRule]) => ({
    id: `bench_${name.padEnd(9, '_')}`,
    name,
    type: 'base',
    listRule,
    viewRule: '',
    createRule: '',
    updateRule: '',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'n', type: 'number' },
      { name: 'shared', type: 'bool' },
      { name: 'owner', type: 'relation', collectionId: 'bench_members_1' },
    ],
  })),
];

/** Streams that wait, one change for thousands of them, and many changes for some. */
export async function run(bench) {
  const { dir, tokens } = await prepare(bench);
  const roost = await bench.roost({ dir });
  const context = { bench, roost };
  await oneSubscriber(context);
  await idle(context);
  for (const count of [STREAMS, 2 * STREAMS]) {
    const goal = count === 10_000 ? { goal: 'RT-89: p50 < 1000' } : undefined;
    await fanOut(context, { what: `one change to ${count} guests`, collection: 'open', count, goal });
  }
  await fanOut(context, { what: `one change to ${STREAMS} accounts, owner rule`, collection: 'shared', tokens });
  await burst(context);
  await steadyWrites(context, tokens.slice(0, 1000));
}

function create(collection, body) {
  return { method: 'POST', path: `/api/collections/${collection}/records`, body };
}

/** How long after the answer to a write its event is there, at a server that has nothing else to do. */
async function oneSubscriber({ bench, roost }) {
  const streams = await subscribed(roost, 1, 'open/*');
  const { method, path, body } = create('open', { title: 'change' });
  const measurement = await Measurement.of(roost, async (measurement) => {
    for (let round = 0; round < WRITES; round++) {
      const arrived = streams.expect().then(() => performance.now());
      await roost.load.call(method, path, { body });
      const answered = performance.now();
      // It may be there before the answer.
      measurement.add(Math.max(0, (await arrived) - answered));
      await sleep(20);
    }
  });
  bench.report.add('from the answer to a write to its event', measurement, { figures: { goal: 'RT-83: < 100' } });
  streams.close();
}

async function idle({ bench, roost }) {
  const before = roost.memory();
  const streams = new EventStreams(roost.load);
  const add = (what, figures) =>
    bench.report.add(what, Object.assign(new Measurement(), { memory: roost.memory() }), { figures });
  await streams.open(STREAMS);
  await sleep(3_000);
  const kib = ((roost.memory() - before) * 1024) / STREAMS;
  const [cpu, started] = [roost.cpuTime(), performance.now()];
  // Long enough for a round of keep-alives.
  await sleep(35_000);
  const busy = (roost.cpuTime() - cpu) / ((performance.now() - started) / 1000);
  add(`${STREAMS} idle streams`, { 'KiB each': kib, 'percent of a core': busy * 100 });
  await streams.open(STREAMS);
  add(`${2 * STREAMS} idle streams`, { goal: 'RT-89: < 500' });
  streams.close();
  await sleep(1_000);
}

/** Until a change has reached the last of many streams, and what others notice of it. */
async function fanOut({ bench, roost }, { what, collection, tokens = [], count = STREAMS, goal }) {
  const streams = await subscribed(roost, count, `${collection}/*`, tokens);
  const { method, path, body } = create(collection, { title: 'change', n: 1, shared: true });
  const { id } = await roost.load.call(method, path, { body });
  await sleep(500);
  const change = async () => {
    const arrived = streams.expect();
    await roost.load.call(method, path, { body });
    await arrived;
  };
  const measurement = await Measurement.of(roost, async (measurement) => {
    for (let round = 0; round < CHANGES; round++) await measurement.time(change);
  });
  bench.report.add(what, measurement, { figures: goal });

  const seconds = 8;
  // This thread is busy with the streams.
  const views = () => roost.load.paceElsewhere({ path: `${path}/${id}` }, { perSecond: 400, seconds });
  const quiet = await views();
  const busy = views();
  for (let round = 0; round < CHANGES; round++) {
    await change();
    await sleep(300);
  }
  const meanwhile = await busy;
  bench.report.add('a view meanwhile', meanwhile, {
    baseline: quiet,
    to: 'without changes, by p99',
    ratio: meanwhile.quantile(0.99) / quiet.quantile(0.99),
    figures: { longest: meanwhile.quantile(1) },
  });
  streams.close();
  await sleep(500);
}

/** Many changes at once: every stream has to get each of them, in order. */
async function burst({ bench, roost }) {
  const [events, size, count] = [10_000, 100, 100];
  const streams = await subscribed(roost, count, 'open/*?fields=n');
  streams.keep();
  const batch = (index) => ({
    method: 'POST',
    path: '/api/batch',
    body: {
      requests: Array.from({ length: size }, (_, item) => {
        const { method, path, body } = create('open', { n: index * size + item });
        return { method, url: path, body };
      }),
    },
  });
  const delivered = streams.expect(events);
  const started = performance.now();
  const next = (index) => (index * size < events ? batch(index) : undefined);
  const written = await roost.load.run(next, { seconds: Infinity, connections: 1, warmUp: false });
  await delivered;
  const seconds = (performance.now() - started) / 1000;
  const isComplete = (text) =>
    [...text.matchAll(/"record":\{"n":(\d+)\}/g)].every(([, n], index) => Number(n) === index);
  bench.report.add(`${events} events to ${count} streams, in batches of ${size}`, written, {
    figures: {
      'streams complete and in order': streams.texts.filter(isComplete).length,
      'events/s written': written.rate * size,
      'messages/s delivered': (events * count) / seconds,
    },
  });
  streams.close();
}

/** Writes at a steady pace, with and without a thousand accounts listening under an owner rule (RT-89). */
async function steadyWrites({ bench, roost }, tokens) {
  const next = (index) => create('owned', { title: 'x', owner: memberId(index % tokens.length) });
  const write = () => roost.load.pace(next, { perSecond: 50, seconds: 10, isAlone: true });
  await write();
  const without = await write();
  const streams = await subscribed(roost, tokens.length, 'owned/*', tokens);
  const beside = await write();
  bench.report.add(`50 writes/s, ${tokens.length} accounts listening`, beside, {
    baseline: without,
    to: 'nobody listening, by p99',
    ratio: beside.quantile(0.99) / without.quantile(0.99),
    figures: { goal: 'RT-89: < 2' },
  });
  streams.close();
}

async function subscribed({ load }, count, topic, tokens) {
  const streams = new EventStreams(load);
  await streams.open(count);
  await streams.subscribe(topic, tokens);
  return streams;
}

/** Schema and settings through the API, accounts straight into their table; a token of each. */
async function prepare(bench) {
  const server = await bench.roost();
  const token = await server.setUp();
  await server.load.call('PUT', '/api/collections/import', { token, body: { collections: SCHEMA } });
  const batch = { enabled: true, maxRequests: 100, timeout: 30 };
  await server.load.call('PATCH', '/api/settings', { token, body: { batch } });
  await server.stop();
  const { dir } = server;
  const db = new Database(join(dir, 'data.db'));
  const now = '2026-01-01 10:00:00.000Z';
  const insert = db.prepare(
    'INSERT INTO members (id, email, password, tokenKey, created, updated) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const secret = JSON.parse(db.prepare("SELECT options FROM _collections WHERE name = 'members'").get().options)
    .authToken.secret;
  const tokens = [];
  db.transaction(() => {
    for (let index = 0; index < STREAMS; index++) {
      const key = `key${String(index).padStart(40, '0')}`;
      insert.run(memberId(index), `m${index}@example.com`, '*', key, now, now);
      tokens.push(sign({ id: memberId(index), collectionId: 'bench_members_1', type: 'auth' }, key + secret));
    }
  })();
  db.close();
  return { dir, tokens };
}

function memberId(index) {
  return `member${String(index).padStart(9, '0')}`;
}

function sign(claims, key) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, exp, refreshable: true })}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
