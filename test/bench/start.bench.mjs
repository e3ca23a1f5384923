import { setTimeout as sleep } from 'node:timers/promises';
import { Measurement } from './measurement.mjs';

const STARTS = 5;

/** From nothing to the first answer, memory at rest, and the health endpoint beside a bare Fastify route. */
export async function run(bench) {
  const [starts, rest] = [new Measurement(), new Measurement()];
  let resident;
  starts.cpuTime = 0;
  for (let round = 0; round < STARTS; round++) {
    // No load runs beside it, so it has the machine.
    const server = await starts.time(async () => {
      const roost = await bench.roost({ pinned: false });
      await roost.load.call('GET', '/api/health');
      return roost;
    });
    starts.cpuTime += server.cpuTime();
    starts.memory = server.memory();
    await sleep(2000);
    rest.memory = server.memory();
    resident = server.residentMemory();
    await server.stop();
  }
  bench.report.add('start to first answer, empty directory', starts);
  bench.report.add('memory at rest', rest, { figures: { 'resident MiB': resident } });

  const roost = await bench.roost();
  const bare = await bench.script('./bare-fastify.mjs');
  await bench.compare('GET /api/health', {
    own: () => roost.load.run({ path: '/api/health' }),
    to: 'a bare Fastify route',
    baseline: () => bare.load.run({ path: '/health' }),
  });
}
