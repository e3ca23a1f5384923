import { EventStreams } from './event-streams.mjs';
import { number } from './workloads/blog.mjs';
import { filledBlog } from './workloads/filled-blog.mjs';

export const defaults = { seconds: 2, connections: 32 };

/** Of the processor time of one worker, at most (SCALE-32). What takes less than twice of it on two cores is no slower. */
const MOST_TIME = 1.15;
const MOST_TIME_OF_CREATES = 2;
/** Streams that hear of each create, on all workers. */
const STREAMS = 4;
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
    ['create', create, MOST_TIME_OF_CREATES],
  ];
  for (const row of rows) await compare(bench, posts, two, one, row);
  const heard = await Promise.all([two, one].map(listening));
  await compare(bench, posts, two, one, [`create heard by ${STREAMS} clients`, create, MOST_TIME_OF_CREATES]);
  for (const streams of heard) streams.close();
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

function compare(bench, posts, two, one, [what, request, goal = MOST_TIME]) {
  return bench.compare(`${what}, goal ${goal} times the time`, {
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

async function listening({ load, blog }) {
  const streams = new EventStreams(load);
  await streams.open(STREAMS);
  await streams.subscribe('posts/*', [blog.token]);
  return streams;
}
