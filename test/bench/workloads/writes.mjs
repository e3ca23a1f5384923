import { number } from './blog.mjs';

const DELETED_POSTS = 500;
const DELETED_USERS = 5;

/** Makes everything posts belong to, one record a request. */
export async function createPeople({ blog, load, report }) {
  for (const collection of ['organisations', 'permissions', 'users']) {
    await create({ blog, load, report }, collection, 0, blog.countOf(collection));
  }
}

/** Makes posts until there are so many; what that took. */
export async function growTo({ blog, load, report }, size) {
  const measurement = await create({ blog, load, report }, 'posts', blog.size, size);
  blog.size = size;
  return measurement;
}

async function create({ blog, load, report }, collection, from, to) {
  const post = (index) => ({
    method: 'POST',
    path: blog.records(collection),
    token: blog.token,
    body: blog.values(collection, from + index),
  });
  const next = (index) => (from + index < to ? post(index) : undefined);
  const measurement = await load.run(next, { seconds: Infinity, warmUp: false });
  report.add(`create ${collection}`, measurement, { group: 'create', ...(collection === 'posts' && { posts: to }) });
  if (measurement.errors > 0) throw new Error(`${measurement.errors} of ${to - from} ${collection} could not be made.`);
  return measurement;
}

/** Lists while a quarter of the connections change posts all the time. */
export async function mixed({ blog, load, report, token }) {
  const { size: posts } = blog;
  const list = () => ({ path: `${blog.records('posts')}?skipTotal=1`, token });
  const update = (index) => ({
    method: 'PATCH',
    path: `${blog.records('posts')}/${number('posts', (index * 7919 + posts) % posts)}`,
    token: blog.token,
    body: { title: `Changed ${index}`, views: Math.abs(index) % 100 },
  });
  const row = { group: 'mixed', posts };
  report.add('update posts', await load.run(update), row);
  const share = Math.max(1, Math.round(load.connections / 4));
  const beside = (request, connections) => load.run(request, { connections, warmUp: false, isAlone: false });
  const [lists, updates] = await Promise.all([
    beside(list, Math.max(1, load.connections - share)),
    beside(update, share),
  ]);
  report.add('list 30 without total, beside updates', lists, row);
  report.add('update posts, beside these lists', updates, row);
}

/** Deletes posts, then accounts with all that they have written. */
export async function deletes({ blog, load, report }) {
  const { size: posts } = blog;
  const remove = (collection, count, first) => (index) =>
    index < count
      ? {
          method: 'DELETE',
          path: `${blog.records(collection)}/${number(collection, first + index)}`,
          token: blog.token,
        }
      : undefined;
  const single = remove('posts', Math.min(DELETED_POSTS, Math.floor(posts / 4)), Math.floor(posts / 2));
  const users = remove('users', Math.min(DELETED_USERS, blog.userCount - 1), 1);
  const each = Math.round(posts / blog.userCount);
  const all = { seconds: Infinity, warmUp: false };
  report.add('delete posts', await load.run(single, all), { group: 'delete', posts });
  report.add(`delete accounts, each with about ${each} posts`, await load.run(users, all), { group: 'delete', posts });
}
