import { PostgresServer } from './postgres-server.mjs';
import { number } from './workloads/blog.mjs';
import { filledBlog } from './workloads/filled-blog.mjs';
import { readsBeside } from './workloads/reads.mjs';

export const defaults = { seconds: 2, connections: 16 };

/** Goals of SCALE-19, to bare Fastify. */
const GOALS = { view: 0.6, list: 0.6, create: 0.5 };

/**
 * Roost on PostgreSQL: all reads of the suite `lists` beside Roost on SQLite, then views, lists and creates beside bare
 * Fastify with `pg` on the same tables. The database has the core of the servers.
 */
export async function run(bench) {
  const { posts: [posts] = [10_000] } = bench.options;
  const database = await PostgresServer.start(bench.serverPin);
  bench.defer(() => database.stop());
  const onPostgres = await filledBlog(bench, { env: { DATABASE_URL: database.url } }, posts);
  const onSqlite = await filledBlog(bench, {}, posts);
  // What the planner knows comes with time; the figures are to be those of a database that has been there for a while.
  await database.run('VACUUM ANALYZE');
  // Creates come last: what they add would be counted and read on one side more than on the other.
  await readsBeside({ bench, group: 'reads', to: 'SQLite' }, onPostgres, onSqlite);
  await beside(bench, database, onPostgres, posts);
  await creates(bench, onPostgres, onSqlite, posts);
}

async function beside(bench, database, { blog, load, server }, posts) {
  const bare = await bench.script('./bare-fastify-postgres.mjs', [database.url, blog.name('posts')]);
  const id = number('posts', posts - 1);
  const body = (index) => JSON.stringify({ ...blog.values('posts', Math.abs(index)), id: undefined });
  const create = (path) => (index) => ({ method: 'POST', path, token: blog.token, body: body(index) });
  const rows = [
    ['view', { path: `${blog.records('posts')}/${id}` }, { path: `/view/${id}` }],
    ['list', () => ({ path: `${blog.records('posts')}?skipTotal=1` }), { path: '/list' }],
    ['create', create(blog.records('posts')), create('/create')],
  ];
  for (const [what, own, baseline] of rows) {
    await bench.compare(`${what}, goal ${GOALS[what]}`, {
      own: () => load.run(own),
      baseline: () => bare.load.run(baseline),
      to: 'bare Fastify with pg',
      trials: 1,
      group: 'PostgreSQL',
      posts,
      figures: () => ({ server: server.memory() }),
    });
  }
  await bare.stop();
}

/** Creates take other ways to the disk: SQLite as it is set up here does not wait for it, PostgreSQL does. */
async function creates(bench, one, other, posts) {
  const create = ({ blog }) => ({
    method: 'POST',
    path: blog.records('posts'),
    token: blog.token,
    body: JSON.stringify({ ...blog.values('posts', 0), id: undefined }),
  });
  await bench.compare('create posts', {
    own: () => one.load.run(create(one)),
    baseline: () => other.load.run(create(other)),
    to: 'SQLite',
    group: 'creates',
    posts,
  });
}
