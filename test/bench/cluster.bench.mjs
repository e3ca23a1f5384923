import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { runnerImport } from 'vite';
import { Measurement } from './measurement.mjs';
import { PostgresServer } from './postgres-server.mjs';

export const defaults = { seconds: 10, connections: 32, streams: 60, instances: 3 };

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Acknowledged writes of which it is remembered when that was, for the events that are still to come. */
const REMEMBERED = 20_000;

/**
 * Instances on one PostgreSQL and one Redis behind nginx (SCALE-27), all on the cores there are: first nothing happens, then
 * one of them is killed, one is cut off from Redis, and PostgreSQL restarts, each under load. Of `--connections` clients half
 * write and half read, `--streams` listen. Each line ends with what the log of all writes and all events has to say.
 */
export async function run(bench) {
  bench.useAllCores();
  const [{ ClusterUnderTest }, { ClusterLoad }, { Redis }] = await Promise.all(
    ['../cluster/cluster-under-test.ts', '../cluster/cluster-load.ts', '../support/redis.ts'].map(load),
  );
  const postgres = await PostgresServer.start();
  bench.defer(() => postgres.stop());
  const redis = await Redis.start();
  bench.defer(() => redis.stop());
  const { instances, seconds } = bench.options;
  const start = ({ flags, dir, env }) => bench.roost({ flags, dir, env, pinned: false, quiet: true });
  const parts = { databaseUrl: postgres.url, redisPort: redis.port, main: MAIN, start };
  const cluster = await ClusterUnderTest.start(parts, instances);
  bench.defer(() => cluster.stop());
  const [victim] = cluster.instances;
  const rows = [
    ['nothing happens', () => sleep(seconds * 1000)],
    [
      'one is killed (-9), and replaced',
      async () => {
        await cluster.kill(victim);
        await sleep(seconds * 500);
        await cluster.replace(victim);
        await sleep(seconds * 500);
      },
    ],
    [
      'one is cut off from Redis, and back',
      async () => {
        await victim.redis.cut();
        await sleep(seconds * 500);
        await victim.redis.mend();
        await sleep(seconds * 500);
      },
    ],
    [
      'PostgreSQL restarts (fast)',
      async () => {
        await postgres.restart('SIGINT');
        await sleep(seconds * 1000);
      },
    ],
    [
      'PostgreSQL crashes (immediate), and starts',
      async () => {
        await postgres.restart('SIGQUIT');
        await sleep(seconds * 1000);
      },
    ],
  ];
  for (const [what, happen] of rows) {
    const phase = new Phase(ClusterLoad, cluster, bench.options);
    await phase.run(happen);
    bench.report.add(what, phase.measurement, { group: `${instances} instances`, figures: phase.figures });
  }
}

/** A TypeScript module of the tests. */
async function load(path) {
  const file = fileURLToPath(new URL(path, import.meta.url));
  return (await runnerImport(file, { configFile: false, logLevel: 'error' })).module;
}

/** A load, what happens meanwhile, and what came of it. */
class Phase {
  measurement = new Measurement();
  figures = {};
  #events = new EventTimes();
  #heard = 0;
  #load;

  constructor(ClusterLoad, cluster, { connections, streams }) {
    this.cluster = cluster;
    this.measurement.connections = connections;
    const half = Math.ceil(connections / 2);
    const options = { writers: half, readers: connections - half, streams };
    this.#load = new ClusterLoad(cluster.origin, cluster.token, options, {
      asked: (milliseconds, isFine) => this.measurement.add(milliseconds, isFine),
      acknowledged: (...write) => this.#events.acknowledged(...write),
      heard: (...event) => {
        this.#heard++;
        this.#events.heard(...event);
      },
    });
  }

  async run(happen) {
    await this.#load.begin();
    try {
      await this.#measure(happen);
      const faults = await this.#load.verdict();
      const { log } = this.#load;
      Object.assign(this.figures, { ...this.#failures(), writes: log.acknowledged, faults: faults.length });
      for (const { kind } of faults) this.figures[kind] = (this.figures[kind] ?? 0) + 1;
      const ended = log.connections.filter(({ hasEnded }) => hasEnded).length;
      if (ended > 0) this.figures['streams ended'] = ended;
    } finally {
      await this.#load.stop();
    }
  }

  async #measure(happen) {
    const { measurement } = this;
    measurement.latencies = [];
    [measurement.answered, measurement.errors, this.#heard] = [0, 0, 0];
    this.#events = new EventTimes();
    const before = this.cluster.instances.map(({ process }) => ({ process, cpuTime: process.cpuTime() }));
    const started = performance.now();
    await happen();
    measurement.duration = performance.now() - started;
    // Of one that was replaced it is not known.
    const spent = this.cluster.instances.map(({ process }, index) =>
      process === before[index].process ? process.cpuTime() - before[index].cpuTime : undefined,
    );
    if (!spent.includes(undefined)) {
      measurement.cpuTime = spent.reduce((sum, each) => sum + each, 0);
      this.figures['CPU ms each'] = spent.map((each) => ((each / measurement.requests) * 1000).toFixed(2)).join('/');
    }
    measurement.memory = this.cluster.instances.reduce((sum, { process }) => sum + process.memory(), 0);
    this.figures['events/s'] = (this.#heard / measurement.duration) * 1000;
    const [p50, p99] = [0.5, 0.99].map((share) => this.#events.quantile(share));
    Object.assign(this.figures, { 'event p50': p50, 'event p99': p99 });
  }

  /** What clients were answered that did not get what they wanted. */
  #failures() {
    const counts = {};
    for (const { status } of this.#load.failures) {
      const name = status === 0 ? 'no answer' : `answers ${status}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

/** How long after the answer to a write those hear of it who listen on another instance, in ms. */
class EventTimes {
  #times = [];
  /** When each write was acknowledged, and who hears of it before that. */
  #writes = new Map();

  acknowledged(record, sequence, servedBy) {
    const write = this.#of(record, sequence);
    write.servedBy = servedBy;
    write.at = performance.now();
    // Whoever heard of it before the answer did not wait.
    for (const early of write.early) if (early !== servedBy) this.#times.push(0);
  }

  heard(record, sequence, servedBy) {
    const write = this.#of(record, sequence);
    if (write.at === undefined) write.early.push(servedBy);
    else if (write.servedBy !== servedBy) this.#times.push(performance.now() - write.at);
  }

  quantile(share) {
    const sorted = this.#times.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }

  #of(record, sequence) {
    const key = `${record} ${sequence}`;
    let write = this.#writes.get(key);
    if (!write) {
      this.#writes.set(key, (write = { early: [] }));
      if (this.#writes.size > REMEMBERED) this.#writes.delete(this.#writes.keys().next().value);
    }
    return write;
  }
}
