import { setTimeout as sleep } from 'node:timers/promises';

/** Until then V8 has noticed that nothing happens any more, and has given back what the start left behind. */
const UNTIL_REST = 15_000;

/** From nothing to the first answer, memory at rest, and the health endpoint beside a bare Fastify route. */
export async function run(bench) {
  const times = [];
  let early;
  let atRest;
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    // No load runs beside it, so it has the machine.
    const server = await bench.roost(bench.tempDir(), { pinned: false });
    await fetch(`${server.origin}/api/health`);
    times.push(performance.now() - started);
    if (round === 0) {
      await sleep(2000);
      early = memoryOf(server);
      await sleep(UNTIL_REST - 2000);
      atRest = memoryOf(server);
    }
    await server.stop();
  }
  times.sort((a, b) => a - b);
  bench.report('start to first answer, empty directory', { ms: times[1] });
  bench.report('memory 2 s after the start', early);
  bench.report('memory at rest, 15 s after the start', atRest);

  const roost = await bench.roost(bench.tempDir());
  const bare = await bench.script('./bare-fastify.mjs');
  const { own, baseline } = await bench.compare({
    own: () => bench.load(`${roost.origin}/api/health`),
    baseline: () => bench.load(`${bare.origin}/health`),
  });
  bench.report('GET /api/health, to a bare Fastify route', {
    ratio: own.rate / baseline.rate,
    'req/s': own.rate,
    p99: own.p99,
  });
}

function memoryOf(server) {
  return { 'resident MiB': server.residentMemory(), 'proportional MiB': server.memory() };
}
