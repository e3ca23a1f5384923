import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';

const PASSWORD = 'bench-password';
const STREAMS = 5_000;
const WRITES = 100;
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
  const dir = bench.tempDir();
  const tokens = await prepare(bench, dir);
  const roost = await bench.roost(dir);
  const api = new Api(roost.origin);
  await oneSubscriber(bench, roost, api);
  await idle(bench, roost);
  for (const count of [STREAMS, 2 * STREAMS]) {
    await fanOut(bench, roost, api, {
      what: `one change to ${count} guests, public rule${count === 10_000 ? ' (RT-89: within 1000 ms)' : ''}`,
      collection: 'open',
      tokens: [],
      count,
    });
  }
  await fanOut(bench, roost, api, {
    what: `one change to ${STREAMS} accounts, owner rule`,
    collection: 'shared',
    tokens,
  });
  await burst(bench, roost, api);
  await steadyWrites(bench, roost, api, tokens.slice(0, 1000));
  bench.report('memory after all of it', { MiB: roost.memory() });
  await roost.stop();
}

/** How long after the answer to a write its event is there, at a server that has nothing else to do. */
async function oneSubscriber(bench, roost, api) {
  const [stream] = await open(roost.origin, 1);
  await subscribe(roost.origin, [stream], 'open/*', []);
  const delays = [];
  for (let round = 0; round < WRITES; round++) {
    stream.received = 0;
    const arrived = stream.next().then(() => performance.now());
    await api.create('open', { title: 'change' });
    const answered = performance.now();
    // It may be there before the answer.
    delays.push(Math.max(0, (await arrived) - answered));
    await sleep(20);
  }
  delays.sort((a, b) => a - b);
  bench.report('from the answer to a write to its event (RT-83: under 100 ms)', {
    median: delays[Math.floor(WRITES / 2)],
    p99: delays[Math.floor((WRITES - 1) * 0.99)],
    max: delays.at(-1),
  });
  close([stream]);
}

async function idle(bench, roost) {
  const before = roost.memory();
  const streams = await open(roost.origin, STREAMS);
  await sleep(3_000);
  bench.report(`${STREAMS} idle streams`, {
    'KiB each': ((roost.memory() - before) * 1024) / STREAMS,
    'MiB in all': roost.memory(),
  });
  const [cpu, started] = [roost.cpuTime(), performance.now()];
  await sleep(35_000);
  const seconds = (performance.now() - started) / 1000;
  bench.report('processor time of them, one keep-alive round included', {
    'percent of a core': ((roost.cpuTime() - cpu) / seconds) * 100,
  });
  const more = await open(roost.origin, STREAMS);
  bench.report(`${2 * STREAMS} idle streams (RT-89: under 500 MB)`, { 'MiB in all': roost.memory() });
  close([...streams, ...more]);
  await sleep(1_000);
}

async function fanOut(bench, roost, api, { what, collection, tokens, count = STREAMS }) {
  const streams = await open(roost.origin, count);
  await subscribe(roost.origin, streams, `${collection}/*`, tokens);
  const { id } = await api.create(collection, { title: 'viewed', shared: true });
  await sleep(500);
  const path = `${roost.origin}/api/collections/${collection}/records/${id}`;
  const quiet = await views(path, 4);
  const change = async () => {
    for (const stream of streams) stream.received = 0;
    const started = performance.now();
    const arrived = Promise.all(streams.map((stream) => stream.next()));
    await api.create(collection, { title: 'change', n: 1, shared: true });
    await arrived;
    return performance.now() - started;
  };
  const times = [];
  const cpu = roost.cpuTime();
  for (let round = 0; round < 9; round++) times.push(await change());
  const perChange = (roost.cpuTime() - cpu) / times.length;
  times.sort((a, b) => a - b);
  const busy = views(path, 8);
  await sleep(1_500);
  for (let round = 0; round < 9; round++) {
    await change();
    await sleep(300);
  }
  const meanwhile = await busy;
  bench.report(what, {
    'ms to the last': times[4],
    'processor ms': perChange * 1000,
    'view p99': meanwhile.p99,
    'view max': meanwhile.max,
    'view p99 without': quiet.p99,
  });
  close(streams);
  await sleep(500);
}

async function burst(bench, roost, api) {
  const [events, size] = [10_000, 100];
  const streams = await open(roost.origin, 100);
  await subscribe(roost.origin, streams, 'open/*?fields=n', []);
  for (const stream of streams) stream.keep();
  const started = performance.now();
  for (let first = 0; first < events; first += size) {
    const requests = Array.from({ length: size }, (_, index) => ({
      method: 'POST',
      url: '/api/collections/open/records',
      body: { n: first + index },
    }));
    await api.call('POST', '/api/batch', { requests });
  }
  const written = performance.now() - started;
  await Promise.all(streams.map((stream) => stream.count(events)));
  const delivered = performance.now() - started;
  const perfect = streams.filter((stream) => stream.numbers().every((n, index) => n === index)).length;
  bench.report(`${events} events to 100 streams, written in batches of ${size}`, {
    'streams complete and in order': perfect,
    'events/s written': events / (written / 1000),
    'messages/s delivered': (events * 100) / (delivered / 1000),
  });
  close(streams);
}

/** 50 writes per second, with and without a thousand accounts listening under an owner rule (RT-89). */
async function steadyWrites(bench, roost, api, tokens) {
  const write = async () => {
    const latencies = [];
    const started = performance.now();
    for (let count = 0; count < 500; count++) {
      await sleep(Math.max(0, count * 20 - (performance.now() - started)));
      const before = performance.now();
      await api.create('owned', { title: 'x', owner: memberId(count % tokens.length) });
      latencies.push(performance.now() - before);
    }
    latencies.sort((a, b) => a - b);
    return { p50: latencies[250], p99: latencies[495], rate: 500 / ((performance.now() - started) / 1000) };
  };
  await write();
  const without = await write();
  const streams = await open(roost.origin, tokens.length);
  await subscribe(roost.origin, streams, 'owned/*', tokens);
  const cpu = roost.cpuTime();
  const beside = await write();
  bench.report('50 writes/s, 1000 accounts listening, to nobody (RT-89: < 2)', {
    'p99 ratio': beside.p99 / without.p99,
    'writes/s': beside.rate,
    p50: beside.p50,
    p99: beside.p99,
    'percent of a core': ((roost.cpuTime() - cpu) / 10) * 100,
  });
  close(streams);
}

/** One stream on a bare socket: reading it costs the measuring process as little as possible. */
class Stream {
  received = 0;
  #waiting;
  #text = '';
  #kept;

  constructor(origin) {
    const { hostname, port } = new URL(origin);
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.on('error', () => {});
    this.connected = new Promise((resolve, reject) => {
      this.socket.once('close', () => reject(new Error('A stream was closed.')));
      const read = (bytes) => {
        this.#text += bytes;
        const match = /PB_CONNECT\ndata:\{"clientId":"(\w+)"/.exec(this.#text);
        if (!match) return;
        this.clientId = match[1];
        this.#text = '';
        this.socket.off('data', read).on('data', (more) => this.#take(more));
        resolve(this);
      };
      this.socket.on('data', read);
    });
    this.socket.write('GET /api/realtime HTTP/1.1\r\nHost: bench\r\n\r\n');
  }

  /** Resolves when something has arrived since `received` was set to 0. */
  next() {
    return this.received > 0 ? undefined : new Promise((resolve) => (this.#waiting = { count: 1, resolve }));
  }

  /** Keeps what arrives from now on. */
  keep() {
    this.#kept = [];
    this.received = 0;
  }

  /** Resolves when so many messages have arrived. */
  count(count) {
    return this.received >= count ? undefined : new Promise((resolve) => (this.#waiting = { count, resolve }));
  }

  numbers() {
    return [...this.#kept.join('').matchAll(/"record":\{"n":(\d+)\}/g)].map((match) => Number(match[1]));
  }

  #take(bytes) {
    if (this.#kept) {
      const text = bytes.toString();
      this.#kept.push(text);
      this.received += text.split('event:').length - 1;
    } else {
      this.received++;
    }
    if (this.#waiting && this.received >= this.#waiting.count) {
      this.#waiting.resolve();
      this.#waiting = undefined;
    }
  }
}

async function open(origin, count) {
  const streams = [];
  while (streams.length < count) {
    const some = Array.from({ length: Math.min(250, count - streams.length) }, () => new Stream(origin).connected);
    streams.push(...(await Promise.all(some)));
  }
  return streams;
}

function close(streams) {
  for (const { socket } of streams) socket.destroy();
}

async function subscribe(origin, streams, topic, tokens) {
  let next = 0;
  const worker = async () => {
    while (next < streams.length) {
      const index = next++;
      const token = tokens[index % Math.max(1, tokens.length)];
      const response = await fetch(`${origin}/api/realtime`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
        body: JSON.stringify({ clientId: streams[index].clientId, subscriptions: [topic] }),
      });
      if (response.status !== 204) throw new Error(await response.text());
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Latencies in ms of one record viewed by two clients for some seconds, from a process of its own. */
async function views(url, seconds) {
  const script = `import autocannon from 'autocannon';
    const { latency } = await autocannon({ url: ${JSON.stringify(url)}, connections: 2, duration: ${seconds}, overallRate: 400 });
    console.log(JSON.stringify(latency));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await new Promise((resolve) => child.once('exit', resolve));
  return JSON.parse(output);
}

class Api {
  constructor(origin) {
    this.origin = origin;
  }

  async call(method, path, body, token) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) };
    const response = await fetch(this.origin + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  }

  create(collection, values) {
    return this.call('POST', `/api/collections/${collection}/records`, values);
  }

  async signIn() {
    const identity = { identity: 'root@example.com', password: PASSWORD };
    return (await this.call('POST', '/api/collections/_superusers/auth-with-password', identity)).token;
  }
}

/** Schema and settings through the API, accounts straight into their table; a token of each. */
async function prepare(bench, dir) {
  bench.command(dir, 'superuser', 'upsert', 'root@example.com', PASSWORD);
  const server = await bench.roost(dir);
  const api = new Api(server.origin);
  const token = await api.signIn();
  await api.call('PUT', '/api/collections/import', { collections: SCHEMA }, token);
  await api.call('PATCH', '/api/settings', { batch: { enabled: true, maxRequests: 100, timeout: 30 } }, token);
  await server.stop();
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
  return tokens;
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
