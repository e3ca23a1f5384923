import { runnerImport } from 'vite';
import { measureCosts } from './simulation/measured-costs.mjs';
import { DATABASE_CORES, SimulatedCluster } from './simulation/simulated-cluster.mjs';

const INSTANCES = [3, 10, 100, 1000];
/** Writes a second of all instances together. */
const RATES = [10, 100, 1000];
/** Instances that PostgreSQL carries messages for. */
const WITHOUT_REDIS = [10, 100, 1000];
/** Milliseconds of which the figures are, and for which it is waited until all have heard. */
const DURATION = 500;
const PATIENCE = 1000;
/** Of what is there: who is busier than this has no room for anything else. */
const FULL = 0.9;

/**
 * What instances cost that only tell each other what happens (SCALE-28): measures the server, PostgreSQL and Redis here, and has
 * up to a thousand instances tell each other of writes and of changed definitions in virtual time.
 */
export async function run(bench) {
  const costs = await measureCosts(bench);
  reportCosts(bench, costs);
  const { module: parts } = await runnerImport(new URL('./simulation/parts.ts', import.meta.url).pathname, {
    logLevel: 'error',
    configFile: false,
  });
  for (const count of INSTANCES) {
    for (const rate of RATES) await simulate(bench, rate, { parts, costs, count });
    const took = await new SimulatedCluster({ parts, costs, count }).change();
    const figures = { 'ms until all know': took ?? 'more than 10,000' };
    bench.report.add('definitions change', {}, { group: groupOf({ count }), figures });
  }
  for (const count of WITHOUT_REDIS) await simulate(bench, 100, { parts, costs, count, byRedis: false });
}

function reportCosts(bench, { requests, bus, notify, instance, database }) {
  const add = (what, costs) => {
    const figures = Object.entries(costs).map(([name, each]) => [name, Math.round(each * 1e4) / 10]);
    bench.report.add(what, {}, { group: 'microseconds of processor time', figures: Object.fromEntries(figures) });
  };
  for (const [name, cost] of Object.entries(requests)) {
    const { instance: own, database: PostgreSQL, bus: Redis } = cost;
    add(`${name} of a record, as one of several instances`, { instance: own, PostgreSQL, Redis });
  }
  add('a message, and each that hears it', { Redis: bus.publish, each: bus.delivery });
  add('a notification, and each that hears it', { PostgreSQL: notify.publish, each: notify.delivery });
  add('to hear a message', { instance: instance.heard });
  add('to look for new events', { instance: instance.read, PostgreSQL: database.read });
  add('an event, and each stream that hears of it', { instance: instance.event, each: instance.listener });
  add('to read changed definitions again', { instance: instance.reload, PostgreSQL: database.reload });
}

/** What it is per second while they write, how long a write takes, and when the last one has heard of it. */
async function simulate(bench, rate, how) {
  const cluster = new SimulatedCluster(how);
  await cluster.open();
  const load = await cluster.write(rate, DURATION, PATIENCE);
  if (cluster.events.some(({ heard }) => heard > how.count)) throw new Error('One has heard of an event twice.');
  const heard = cluster.events.filter((event) => event.heard === how.count);
  const missing = cluster.events.length - heard.length;
  const isTooMuch = missing > 0 || Math.max(load.bus, load.instance, load.database / DATABASE_CORES) > FULL;
  bench.report.add(
    `${rate} writes/s together${isTooMuch ? ', MORE THAN IT CARRIES' : ''}`,
    {},
    {
      group: groupOf(how),
      figures: {
        'messages/s': load.published,
        'heard/s': load.delivered,
        'reads/s': load.reads,
        'Redis %': 100 * load.bus,
        'PostgreSQL cores': load.database,
        'instance %': 100 * load.instance,
        'ms to store': middleOf(heard.map(({ asked, committed }) => committed - asked)),
        'ms until all have heard': middleOf(heard.map(({ committed, last }) => last - committed)),
        ...(missing > 0 && { 'too late for': `${missing} of ${cluster.events.length}` }),
      },
    },
  );
}

function middleOf(times) {
  return times.length > 0 ? times.toSorted((a, b) => a - b)[times.length >> 1] : 'too many';
}

function groupOf({ count, byRedis = true }) {
  const carrier = byRedis ? 'Redis' : 'PostgreSQL alone';
  return `${count} instances, ${carrier}, ${DATABASE_CORES} cores for the database`;
}
