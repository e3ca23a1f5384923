import { number } from './blog.mjs';
import { Measurement } from './load.mjs';

const DELETED_POSTS = 500;
const DELETED_USERS = 5;

/** Makes everything posts belong to, one record a request. */
export async function createPeople({ blog, load, report }) {
  for (const collection of ['organisations', 'permissions', 'users']) {
    await create({ blog, load, report }, collection, 0, blog.countOf(collection));
  }
}

/** Makes posts until there are so many. */
export async function growTo(context, size) {
  const { blog } = context;
  await create(context, 'posts', blog.size, size);
  blog.size = size;
}

async function create({ blog, load, report }, collection, from, to) {
  const post = (index) => ({
    method: 'POST',
    path: blog.records(collection),
    token: blog.token,
    body: blog.values(collection, from + index),
  });
  const next = (index) => (from + index < to ? post(index) : undefined);
  const measure = async () => ({ measurement: await load.run(next, { seconds: Infinity, warmUp: false }) });
  const posts = collection === 'posts' ? to : undefined;
  const measurement = await report.add('create', `create ${collection}`, measure, { posts });
  if (measurement.errors > 0) throw new Error(`${measurement.errors} of ${to - from} ${collection} could not be made.`);
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
  await report.add('mixed', 'update posts', async () => ({ measurement: await load.run(update) }), { posts });
  const [lists, updates] = [new Measurement(), new Measurement()];
  const both = async () => {
    const share = Math.max(1, Math.round(load.connections / 4));
    const [read, written] = await Promise.all([
      load.run(list, { warmUp: false, connections: Math.max(1, load.connections - share) }),
      load.run(update, { warmUp: false, connections: share }),
    ]);
    lists.join(read);
    updates.join(written);
    return { measurement: lists };
  };
  await report.add('mixed', 'list 30 without total, beside updates', both, { posts, isAlone: false });
  await report.add('mixed', 'update posts, beside these lists', async () => ({ measurement: updates }), {
    posts,
    isAlone: false,
  });
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
  const measure = (next) => async () => ({ measurement: await load.run(next, { seconds: Infinity, warmUp: false }) });
  await report.add('delete', 'delete posts', measure(single), { posts });
  const users = remove('users', Math.min(DELETED_USERS, blog.userCount - 1), 1);
  const each = Math.round(posts / blog.userCount);
  await report.add('delete', `delete accounts, each with about ${each} posts`, measure(users), { posts });
}
