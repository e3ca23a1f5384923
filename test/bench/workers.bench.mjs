import { number } from './workloads/blog.mjs';
import { filledBlog } from './workloads/filled-blog.mjs';

export const defaults = { seconds: 2, connections: 32 };

/** Of the processor time of one worker, at most (SCALE-32). */
const MOST_TIME = 1.15;
/** MiB for each further worker, at most. */
const MOST_MEMORY = 90;

/**
 * Two workers beside one, on all cores: views, lists and creates by the processor time of a request, because the load has
 * no cores of its own on a small machine; and what the second worker takes of memory, what is shared counted once.
 */
export async function run(bench) {
  const { posts: [posts] = [10_000] } = bench.options;
  const two = await filledBlog(bench, { flags: ['--workers=2'], pinned: false }, posts);
  const one = await filledBlog(bench, { pinned: false }, posts);
  const create = ({ blog }) => ({
    method: 'POST',
    path: blog.records('posts'),
    token: blog.token,
    body: JSON.stringify({ ...blog.values('posts', 0), id: undefined }),
  });
  const rows = [
    ['view', ({ blog }) => ({ path: `${blog.records('posts')}/${number('posts', posts - 1)}` })],
    ['list', ({ blog }) => ({ path: `${blog.records('posts')}?skipTotal=1` })],
    ['create', create],
  ];
  for (const [what, request] of rows) {
    await bench.compare(`${what}, goal ${MOST_TIME} times the time`, {
      own: () => two.load.run(request(two)),
      baseline: () => one.load.run(request(one)),
      to: 'one worker, processor time',
      ratio: (a, b) => a.cost / b.cost,
      figures: (a, b) => ({ rate: a.rate / b.rate }),
      trials: 1,
      group: 'two workers',
      posts,
    });
  }
  const memory = two.server.memory() - one.server.memory();
  bench.report.add(
    `memory of the parent and a second worker, goal ${MOST_MEMORY} MiB`,
    {},
    {
      group: 'two workers',
      figures: { MiB: memory },
    },
  );
}
