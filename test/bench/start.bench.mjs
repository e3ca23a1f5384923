import { setTimeout as sleep } from 'node:timers/promises';
import { Measurement } from './measurement.mjs';

const STARTS = 5;

/** Until then V8 has noticed that nothing happens any more, and has given back what the start left behind. */
const UNTIL_REST = 15_000;

/**
 * From nothing to the first answer, memory at rest, and the health endpoint beside a bare Fastify route; of another server
 * the first two.
 */
export async function run(bench) {
  const start = bench.target ? () => bench.foreign(bench.options.command) : () => startRoost(bench);
  const [starts, rest] = [new Measurement(), new Measurement()];
  let resident;
  starts.cpuTime = 0;
  for (let round = 0; round < STARTS; round++) {
    const server = await starts.time(start);
    starts.cpuTime += server.cpuTime();
    starts.memory = server.memory();
    if (round === 0) {
      await sleep(UNTIL_REST);
      rest.memory = server.memory();
      resident = server.residentMemory();
    }
    await server.stop();
  }
  bench.report.add('start to first answer, empty directory', starts);
  bench.report.add('memory at rest', rest, { figures: { 'resident MiB': resident } });

  if (bench.target) return;
  const roost = await bench.roost();
  const bare = await bench.script('./bare-fastify.mjs');
  await bench.compare('GET /api/health', {
    own: () => roost.load.run({ path: '/api/health' }),
    to: 'a bare Fastify route',
    baseline: () => bare.load.run({ path: '/health' }),
  });
}

/** No load runs beside it, so it has the machine. */
async function startRoost(bench) {
  const roost = await bench.roost({ pinned: false });
  await roost.load.call('GET', '/api/health');
  return roost;
}
