import { join } from 'node:path';
import { Blog } from './workloads/blog.mjs';
import { Load } from './workloads/load.mjs';
import { reads } from './workloads/reads.mjs';
import { WorkloadReport } from './workloads/report.mjs';
import { signIns } from './workloads/sign-ins.mjs';
import { createPeople, deletes, growTo, mixed } from './workloads/writes.mjs';

const OWN = { email: 'root@example.com', password: 'bench-password' };
const SIZES = [10_000, 25_000, 50_000, 100_000];

/**
 * Creates, sign-ins, lists over a growing number of posts, reads beside writes, deletes: on the built Roost, or on any
 * server that speaks the protocol. That one gets collections of its own, which are deleted again; nothing else of it is
 * touched.
 */
export async function run(bench) {
  const { posts: sizes = SIZES, seconds = 1, connections = 16 } = bench.options;
  const server = bench.target ? undefined : await ownServer(bench);
  const load = new Load(bench.target ?? server.origin, { seconds, connections });
  const report = new WorkloadReport(bench, server);
  const { email, password } = bench.target ? credentials(bench.options) : OWN;
  const { token } = await load.call('POST', '/api/collections/_superusers/auth-with-password', {
    body: { identity: email, password },
  });
  const blog = new Blog(load, token, Math.min(100, Math.max(10, Math.round(sizes.at(-1) / 1000))));
  const context = { blog, load, report };
  try {
    await blog.open();
    await createPeople(context);
    context.token = await blog.signIn();
    await signIns(context);
    for (const size of sizes) {
      await growTo(context, size);
      const bare = server && (await bareBeside(bench, server, blog));
      context.bare = bare && new Load(bare.origin, { seconds, connections });
      await reads(context);
      await context.bare?.close();
      await bare?.stop();
      await mixed(context);
    }
    await deletes(context);
  } finally {
    if (bench.target) await blog.close();
    await load.close();
  }
}

function credentials({ email = process.env.BENCH_EMAIL, password = process.env.BENCH_PASSWORD }) {
  if (email && password) return { email, password };
  throw new Error('Name a superuser of the target: --email and --password, or BENCH_EMAIL and BENCH_PASSWORD.');
}

async function ownServer(bench) {
  const dir = bench.tempDir();
  bench.command(dir, 'superuser', 'upsert', OWN.email, OWN.password);
  return Object.assign(await bench.roost(dir), { dir });
}

/** Bare Fastify on the same file. */
function bareBeside(bench, server, blog) {
  return bench.script('./bare-fastify.mjs', [join(server.dir, 'data.db'), blog.name('posts')]);
}
