import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Measurement } from './measurement.mjs';

const ROUNDS = 5;
const ROOST = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href);

/** What modules of a team cost those who do not use them: at the start, and for records of other collections. */
export async function run(bench) {
  await measureStart(bench);
  await measureOtherCollections(bench);
}

async function measureStart(bench) {
  const start = (main) => async () => {
    let server;
    const measurement = await Measurement.of(undefined, async (measurement) => {
      server = await measurement.time(() => bench.roost({ main }));
    });
    Object.assign(measurement, { cpuTime: server.cpuTime(), memory: server.memory() });
    await server.stop();
    return measurement;
  };
  await bench.compare('start with 50 modules with 200 hooks', {
    own: start(main(bench, { modules: 50, hooks: 4 })),
    to: 'one without, by p50',
    baseline: start(main(bench, { modules: 0 })),
    ratio: (own, baseline) => own.quantile(0.5) / baseline.quantile(0.5),
    figures: (own, baseline) => ({ 'added ms': own.quantile(0.5) - baseline.quantile(0.5) }),
    rounds: ROUNDS,
  });
}

async function measureOtherCollections(bench) {
  const [hooked, modules, plain] = [
    await prepared(bench, main(bench, { modules: 4, hooks: 5 })),
    await prepared(bench, main(bench, { modules: 4 })),
    await prepared(bench, main(bench, { modules: 0 })),
  ];
  const create =
    (collection, { load }) =>
    () =>
      load.run({ method: 'POST', path: `/api/collections/${collection}/records`, body: '{"title":"A note"}' });
  for (const [what, collection, own, to, baseline] of [
    ['creates beside 20 async hooks on another collection', 'plain', hooked, 'the same without hooks', modules],
    ['creates with these hooks', 'hooked', hooked, 'the same without hooks', modules],
    ['creates in an application with modules', 'plain', modules, 'one without', plain],
  ]) {
    await bench.compare(what, { own: create(collection, own), to, baseline: create(collection, baseline), trials: 1 });
  }
}

/** A `main.mjs` with so many modules, each with a provider with so many async hooks on the collection `hooked`. */
function main(bench, { modules, hooks = 0 }) {
  const path = join(bench.tempDir(), 'main.mjs');
  writeFileSync(
    path,
    `import { Injectable, Module } from ${JSON.stringify(import.meta.resolve('@nestjs/common'))};
import { AfterRecordCreate, BeforeRecordCreate, BeforeRecordUpdate, EnrichRecord, runRoost } from ${ROOST};

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
  const server = await bench.roost({ main: path });
  const token = await server.setUp();
  const collection = (name) => ({ name, createRule: '', fields: [{ name: 'title', type: 'text' }] });
  const collections = [collection('plain'), collection('hooked')];
  await server.load.call('PUT', '/api/collections/import', { token, body: { collections } });
  return server;
}
