import { number } from './blog.mjs';

const SIZE = 100;

/** Creates of posts, a hundred in one request; to those with a request of their own. */
export async function batches({ blog, load, report, single }) {
  const { size: posts } = blog;
  const what = `create ${SIZE} posts in one request`;
  // Of the account that is never deleted, so that what deletes are measured on does not depend on how fast this was.
  const author = number('users', 0);
  const create = (index) => ({
    method: 'POST',
    url: blog.records('posts'),
    body: { ...blog.values('posts', index), author },
  });
  const batch = (index) => ({
    method: 'POST',
    path: '/api/batch',
    token: blog.token,
    body: { requests: Array.from({ length: SIZE }, (_, item) => create(posts + (index + 1) * SIZE + item)) },
  });
  const row = { group: 'batch', posts };
  try {
    const { method, path, token, body } = batch(-1);
    await load.call(method, path, { token, body });
  } catch (error) {
    report.addMissing(what, error.message, row);
    return;
  }
  const measurement = await load.run(batch, { warmUp: false, connections: Math.min(4, load.connections) });
  report.add(what, measurement, {
    ...row,
    ratio: (measurement.rate * SIZE) / single.rate,
    to: 'posts created one a request',
    figures: { 'creates/s': measurement.rate * SIZE },
  });
}
