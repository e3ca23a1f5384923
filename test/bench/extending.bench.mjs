import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PASSWORD = 'bench-password';
const ROUNDS = 5;
const dist = (file) => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href);

/** What modules of a team cost those who do not use them: at the start, and for records of other collections. */
export async function run(bench) {
  await measureStart(bench);
  await measureOtherCollections(bench);
}

async function measureStart(bench) {
  const mains = { without: main(bench, { modules: 0 }), with: main(bench, { modules: 50, hooks: 4 }) };
  const starts = { without: [], with: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, path] of Object.entries(mains)) {
      const server = await bench.roost(bench.tempDir(), { main: path });
      starts[name].push({ wall: server.startedIn, cpu: server.cpuTime() * 1000 });
      await server.stop();
    }
  }
  const middle = (name, kind) => starts[name].map((start) => start[kind]).sort((a, b) => a - b)[ROUNDS >> 1];
  bench.report('50 modules with 200 hooks, added to the start', {
    'added ms': middle('with', 'wall') - middle('without', 'wall'),
    'added cpu ms': middle('with', 'cpu') - middle('without', 'cpu'),
    'without ms': middle('without', 'wall'),
  });
}

async function measureOtherCollections(bench) {
  const servers = {
    own: await prepared(bench, main(bench, { modules: 4, hooks: 5 })),
    baseline: await prepared(bench, main(bench, { modules: 0 })),
  };
  const create = (collection, { origin }) =>
    bench.load(`${origin}/api/collections/${collection}/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A note' }),
    });
  for (const [collection, what] of [
    ['plain', 'creates beside 20 async hooks on another collection'],
    ['hooked', 'creates with these hooks'],
  ]) {
    const { own, baseline } = await bench.compare({
      own: () => create(collection, servers.own),
      baseline: () => create(collection, servers.baseline),
    });
    bench.report(`${what}, to none`, {
      ratio: own.rate / baseline.rate,
      'creates/s': own.rate,
      p99: own.p99,
      errors: own.errors + baseline.errors,
    });
  }
  for (const server of Object.values(servers)) await server.stop();
}

/** A `main.mjs` with so many modules, each with a provider with so many async hooks on the collection `hooked`. */
function main(bench, { modules, hooks = 0 }) {
  const path = join(bench.tempDir(), 'main.mjs');
  writeFileSync(
    path,
    `import { Injectable, Module } from ${JSON.stringify(import.meta.resolve('@nestjs/common'))};
import { AfterRecordCreate, BeforeRecordCreate, BeforeRecordUpdate, EnrichRecord } from ${dist('index.js')};
import { runRoost } from ${dist('run-roost.js')};

const KINDS = [BeforeRecordCreate, AfterRecordCreate, EnrichRecord, BeforeRecordUpdate];

/** What the compiler makes of a class with decorators. */
function team() {
  class Hooks {}
  for (let index = 0; index < ${hooks}; index++) {
    const method = { async ['hook' + index](event) { return event.record.id; } }['hook' + index];
    const descriptor = { value: method, writable: true, configurable: true, enumerable: false };
    KINDS[index % KINDS.length]('hooked')(Hooks.prototype, 'hook' + index, descriptor);
    Object.defineProperty(Hooks.prototype, 'hook' + index, descriptor);
  }
  Injectable()(Hooks);
  class Team {}
  Module({ providers: [Hooks] })(Team);
  return Team;
}

await runRoost({ imports: Array.from({ length: ${modules} }, team) });
`,
  );
  return path;
}

async function prepared(bench, path) {
  const dir = bench.tempDir();
  bench.command(dir, 'superuser', 'upsert', 'root@example.com', PASSWORD);
  const server = await bench.roost(dir, { main: path });
  const call = async (method, url, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) };
    const response = await fetch(server.origin + url, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  };
  const identity = { identity: 'root@example.com', password: PASSWORD };
  const { token } = await call('POST', '/api/collections/_superusers/auth-with-password', identity);
  const collection = (name) => ({ name, createRule: '', fields: [{ name: 'title', type: 'text' }] });
  const collections = [collection('plain'), collection('hooked')];
  await call('PUT', '/api/collections/import', { collections }, token);
  return server;
}
