import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import pg from 'pg';
import { EventStreams } from '../event-streams.mjs';
import { PostgresServer } from '../postgres-server.mjs';
import { processorTime } from './processor-time.mjs';
import { RedisServer } from './redis-server.mjs';

const RECORDS = 500;
/** Collections beside the system's own, so that reading definitions again takes what it does in an application. */
const COLLECTIONS = 20;
const MESSAGES = 10_000;
const WAKE_UPS = 400;
const EVENTS = 2_000;
const STREAMS = 50;
const LISTENERS = 200;
const READS = 3_000;
const RELOADS = 40;

/** The statement that each instance catches up with. */
const READ = `SELECT "id", "origin", "name", "data" FROM "_outbox" WHERE "id" > $1 ORDER BY "id" LIMIT 200`;
const COPY = `INSERT INTO "_outbox" ("origin", "name", "data")
  SELECT 'another', "name", "data" FROM (SELECT * FROM "_outbox" ORDER BY "id" DESC LIMIT 1) AS "last", generate_series(1, $1)`;

/**
 * What things cost on this machine, in milliseconds of processor time: of the built server as one of several instances, of
 * PostgreSQL and of Redis, while one thing after the other is done to them.
 */
export async function measureCosts(bench) {
  const database = await PostgresServer.start(bench.serverPin);
  bench.defer(() => database.stop());
  const redis = await RedisServer.start(bench.serverPin);
  bench.defer(() => redis.stop());
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const roost = await bench.roost({ env, flags: ['--sharedStorage'] });
  const setting = { bench, database, redis, roost, token: await roost.setUp() };
  await fill(setting);
  const requests = await costsOfRequests(setting);
  const bus = await costsOfBus(setting);
  const instance = { ...(await costsOfMessages(setting)), ...(await costsOfReloads(setting, requests.view)) };
  return {
    requests,
    notify: await costsOfNotify(setting),
    bus,
    instance,
    database: {
      view: requests.view.database,
      create: requests.create.database,
      read: await costOfRead(setting),
      reload: instance.databaseReload,
    },
  };
}

/** What the three take for something that is done so many times, each. */
async function costOf({ roost, database, redis }, work) {
  const all = () => [roost, database, redis].map(({ pid }) => processorTime(pid));
  const before = all();
  const times = await work();
  const [instance, base, bus] = all().map((time, index) => (time - before[index]) / 1e6 / times);
  return { instance, database: base, bus };
}

const collection = (name) => ({
  name,
  type: 'base',
  listRule: '',
  viewRule: '',
  createRule: '',
  updateRule: '',
  fields: ['title', 'text', 'place'].map((field) => ({ name: field, type: 'text' })),
});

async function fill({ roost: { load }, token }) {
  const names = Array.from({ length: COLLECTIONS }, (_, index) => `things${index}`);
  const body = { collections: ['notes', ...names].map(collection) };
  await load.call('PUT', '/api/collections/import', { token, body });
  const note = (index) => (index < RECORDS ? create(index) : undefined);
  await load.run(note, { seconds: Infinity, warmUp: false });
}

function create(index) {
  return {
    method: 'POST',
    path: '/api/collections/notes/records',
    body: { title: `note ${index}`, text: 'a text of some words '.repeat(10), place: 'here' },
  };
}

async function costsOfRequests(setting) {
  const { load } = setting.roost;
  const page = await load.call('GET', '/api/collections/notes/records?perPage=1');
  const requests = {
    view: { path: `/api/collections/notes/records/${page.items[0].id}` },
    list: { path: '/api/collections/notes/records?skipTotal=1' },
    create: (index) => create(Math.abs(index)),
  };
  const costs = {};
  for (const [name, request] of Object.entries(requests)) {
    await load.run(request, { seconds: 0.5 });
    costs[name] = await costOf(setting, async () => (await load.run(request, { seconds: 1.5 })).requests);
  }
  return costs;
}

/** A message that all hear, of the length of a usual one, at Redis with many listeners and with two. */
async function costsOfBus(setting) {
  const { redis } = setting;
  const client = await createClient({ url: redis.url }).connect();
  const message = JSON.stringify({ kind: 'here', from: '00000000-0000-4000-8000-000000000000' });
  const publish = async () => {
    for (let sent = 0; sent < MESSAGES; sent += 500)
      await Promise.all(Array.from({ length: 500 }, () => client.publish('simulated', message)));
    return MESSAGES;
  };
  await publish();
  const few = (await costOf(setting, publish)).bus;
  const listeners = Array.from({ length: LISTENERS }, () => {
    const socket = connect(redis.port, '127.0.0.1');
    socket.write('SUBSCRIBE simulated\r\n');
    return socket.resume();
  });
  await sleep(300);
  const many = (await costOf(setting, publish)).bus;
  for (const socket of listeners) socket.destroy();
  await client.close();
  return { publish: few, delivery: (many - few) / LISTENERS };
}

/** What another instance says, and has one do. */
async function costsOfMessages(setting) {
  const { redis, database, roost } = setting;
  const client = await createClient({ url: redis.url }).connect();
  const say = (said) => client.publish('roost:instances', JSON.stringify({ ...said, from: 'another' }));
  const wake = () => say({ kind: 'broadcast', topic: 'events' });
  const messages = async () => {
    for (let sent = 0; sent < MESSAGES; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, () => say({ kind: 'here' })));
    }
    // Answers to what was asked here come after all that was said before.
    await sleep(100);
    return MESSAGES;
  };
  await messages();
  const { instance: heard } = await costOf(setting, messages);
  const wakeUps = async () => {
    for (let sent = 0; sent < WAKE_UPS; sent++) {
      await wake();
      await sleep(3);
    }
    return WAKE_UPS;
  };
  const woken = await costOf(setting, wakeUps);
  const events = async (streams) => {
    const heardOf = streams.expect(EVENTS);
    const copied = new pg.Client({ connectionString: database.url });
    await copied.connect();
    await copied.query(COPY, [EVENTS]);
    await copied.end();
    await wake();
    await heardOf;
    return EVENTS;
  };
  const streams = new EventStreams(roost.load);
  await streams.open(1);
  await streams.subscribe('notes');
  streams.keep();
  await events(streams);
  const one = await costOf(setting, () => events(streams));
  await streams.open(STREAMS - 1);
  await streams.subscribe('notes');
  streams.keep();
  await events(streams);
  const many = await costOf(setting, () => events(streams));
  streams.close();
  await say({ kind: 'bye' });
  await client.close();
  const listener = (many.instance - one.instance) / (STREAMS - 1);
  return { heard, read: woken.instance - heard, event: one.instance - listener, listener };
}

/** Definitions that another instance has changed, as a request finds out. */
async function costsOfReloads(setting, view) {
  const { roost, database } = setting;
  const { items } = await roost.load.call('GET', '/api/collections/notes/records?perPage=1');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const reloads = async (changes) => {
    for (let done = 0; done < RELOADS; done++) {
      if (changes) await client.query(`UPDATE "_versions" SET "number" = "number" + 1 WHERE "table" = '_collections'`);
      await roost.load.call('GET', `/api/collections/notes/records/${items[0].id}`);
    }
    return RELOADS;
  };
  await reloads(true);
  const cost = await costOf(setting, () => reloads(true));
  await client.end();
  return { reload: cost.instance - view.instance, databaseReload: cost.database - view.database };
}

/** Nothing new: what most wake-ups find where many write. */
async function costOfRead({ database }) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT max("id") AS "id" FROM "_outbox"');
  const read = () => client.query({ name: 'read', text: READ, values: [rows[0].id] });
  for (let warm = 0; warm < 200; warm++) await read();
  // Of the process that answers alone: others tidy up after what was written before.
  const { pid } = (await client.query('SELECT pg_backend_pid() AS "pid"')).rows[0];
  const before = processorTime(pid);
  for (let done = 0; done < READS; done++) await read();
  const cost = (processorTime(pid) - before) / 1e6 / READS;
  await client.end();
  return cost;
}

/** A notification, and what each that listens adds to it. */
async function costsOfNotify({ database }) {
  const connected = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  };
  const sender = await connected();
  const notify = async () => {
    const before = processorTime(database.pid);
    for (let sent = 0; sent < 1000; sent++)
      await sender.query(`SELECT pg_notify('simulated', $1)`, [`message ${sent}`]);
    await sleep(50);
    return (processorTime(database.pid) - before) / 1e6 / 1000;
  };
  await notify();
  const alone = await notify();
  const listeners = [];
  for (let count = 0; count < 50; count++) {
    const client = await connected();
    await client.query('LISTEN simulated');
    listeners.push(client);
  }
  const many = await notify();
  for (const client of [...listeners, sender]) await client.end();
  return { publish: alone, delivery: (many - alone) / listeners.length };
}
