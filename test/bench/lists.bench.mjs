import { join } from 'node:path';
import { Measurement } from './measurement.mjs';
import { batches } from './workloads/batches.mjs';
import { Blog } from './workloads/blog.mjs';
import { events, idleStreams } from './workloads/events.mjs';
import { files } from './workloads/files.mjs';
import { reads } from './workloads/reads.mjs';
import { signIns } from './workloads/sign-ins.mjs';
import { createPeople, deletes, growTo, mixed } from './workloads/writes.mjs';

const SIZES = [10_000, 25_000, 50_000, 100_000];

export const defaults = { seconds: 1, connections: 16 };

/**
 * Creates, sign-ins, lists over a growing number of posts, reads beside writes, batches, events, files, deletes: on the built
 * Roost, or on any server that speaks the protocol. That one gets collections of its own, which are deleted again; nothing
 * else of it is touched.
 */
export async function run(bench) {
  const { posts: sizes = SIZES } = bench.options;
  const server = bench.target ? undefined : await bench.roost();
  const load = bench.target ?? server.load;
  const token = server ? await ownServer(server) : await signIn(load, bench.options);
  if (bench.target?.server) atRest(bench);
  const blog = new Blog(load, token, Math.min(100, Math.max(10, Math.round(sizes.at(-1) / 1000))));
  if (bench.target) bench.defer(() => blog.close());
  await blog.open();
  const context = { bench, report: bench.report, blog, load };
  if (load.server) await idleStreams(context);
  await createPeople(context);
  context.token = await blog.signIn();
  await signIns(context);
  for (const size of sizes) {
    context.single = await growTo(context, size);
    context.bare = server && (await bareBeside(bench, server, blog));
    await reads(context);
    await context.bare?.stop();
    await mixed(context);
  }
  await batches(context);
  await events(context);
  await files(context);
  await deletes(context);
}

/** What a server takes that has nothing to do, as far as that is so. */
function atRest({ target: { server }, report }) {
  const rest = Object.assign(new Measurement(), { memory: server.memory() });
  report.add('memory before anything else', rest, { figures: { 'resident MiB': server.residentMemory() } });
}

/** The token of a superuser of the target. */
function signIn(load, { email = process.env.BENCH_EMAIL, password = process.env.BENCH_PASSWORD }) {
  if (email && password) return load.signIn('_superusers', email, password);
  throw new Error('Name a superuser of the target: --email and --password, or BENCH_EMAIL and BENCH_PASSWORD.');
}

/** Allows batches on our own server; the token of a superuser. */
async function ownServer(server) {
  const token = await server.setUp();
  await server.load.call('PATCH', '/api/settings', {
    token,
    body: { batch: { enabled: true, maxRequests: 100, timeout: 30 } },
  });
  return token;
}

/** Bare Fastify on the same file. */
function bareBeside(bench, server, blog) {
  return bench.script('./bare-fastify.mjs', [join(server.dir, 'data.db'), blog.name('posts')]);
}
