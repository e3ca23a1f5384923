import { number } from './blog.mjs';

const NO_TOTAL = { skipTotal: 1 };
const OPEN = '';
const SIGNED_IN = '@request.auth.id != ""';
const OWN = 'author = @request.auth.id';
const SAME_ORGANISATION = 'author.organisation = @request.auth.organisation';
const SOME_PERMISSION = 'author.permissions.active ?= true';
const ALL_PERMISSIONS = 'author.permissions.active = true';

/**
 * What is read, by whom, under which rule; from the plain page to what a database has to work for. Every list asks for
 * something else than the one before, because a server may remember what it has found and counted.
 */
const READS = [
  { what: 'view one record', rule: OPEN, one: true, bare: (posts) => `/view/${number('posts', posts - 1)}` },
  { what: 'view one record, signed in', rule: OPEN, one: true, as: 'user' },
  { what: 'list 30 without total, the same again', rule: OPEN, query: NO_TOTAL, bare: () => '/list', isSame: true },
  { what: 'list 30 without total', rule: OPEN, query: NO_TOTAL, bare: () => '/list', isPlain: true },
  { what: 'list 30 with total, the same again', rule: OPEN, isSame: true },
  { what: 'list 30 with total', rule: OPEN },
  { what: 'the page in the middle, without total', rule: OPEN, query: NO_TOTAL, page: 'middle' },
  { what: 'fields=id,title, without total', rule: OPEN, query: { ...NO_TOTAL, fields: 'id,title' } },
  { what: 'sort=-views,title, without total', rule: OPEN, query: { ...NO_TOTAL, sort: '-views,title' } },
  { what: 'expand=author', rule: OPEN, query: { ...NO_TOTAL, expand: 'author' } },
  {
    what: 'expand=author.organisation,author.permissions',
    rule: OPEN,
    query: { ...NO_TOTAL, expand: 'author.organisation,author.permissions' },
  },
  { what: 'rule: signed in, without total', rule: SIGNED_IN, as: 'user', query: NO_TOTAL },
  { what: 'rule: own posts, with total', rule: OWN, as: 'user' },
  { what: 'rule: same organisation, without total', rule: SAME_ORGANISATION, as: 'user', query: NO_TOTAL },
  { what: 'rule: same organisation, with total', rule: SAME_ORGANISATION, as: 'user' },
  { what: 'rule: some permission is active, without total', rule: SOME_PERMISSION, query: NO_TOTAL },
  { what: 'rule: all permissions are active, without total', rule: ALL_PERMISSIONS, query: NO_TOTAL },
  { what: 'rule: all permissions are active, with total', rule: ALL_PERMISSIONS },
  {
    what: 'filter: an option is chosen, without total',
    rule: OPEN,
    query: { ...NO_TOTAL, filter: 'tags:each ?= "d"' },
  },
  { what: 'filter: more than one option, with total', rule: OPEN, query: { filter: 'tags:length > 1' } },
  {
    what: 'filter: a word in the text, without total',
    rule: OPEN,
    query: { ...NO_TOTAL, filter: 'title ~ "thicket" || body ~ "dusk"' },
  },
  {
    what: 'filter: a word in the text, with total',
    rule: OPEN,
    query: { filter: 'title ~ "thicket" || body ~ "dusk"' },
  },
  { what: 'a superuser, with total', rule: null, as: 'superuser' },
];

/** Measures every read on the blog as large as it is. Fails when one of them finds nothing: that would be no work. */
export async function reads(context) {
  const { blog } = context;
  let plain;
  try {
    for (const read of READS) {
      await blog.setListRule(read.rule);
      const rate = await measure(context, read, plain);
      if (read.isPlain) plain = rate;
    }
  } finally {
    await blog.setListRule(OPEN);
  }
}

/**
 * Measures every read on one application beside the same on another one with the same blog. `own` and `other` are
 * `{ blog, load, token }`.
 */
export async function readsBeside({ bench, group, to }, own, other) {
  for (const read of READS) {
    const [mine, theirs] = await Promise.all(
      [own, other].map(async ({ blog, load, token }) => {
        await blog.setListRule(read.rule);
        const as = { user: token, superuser: blog.token }[read.as];
        const next = () => ({ path: pathOf(blog, read), token: as });
        const answer = await load.call('GET', next().path, { token: as });
        if (!read.one && answer.items.length === 0) throw new Error(`${read.what}: nothing was found.`);
        return () => load.run(next);
      }),
    );
    await bench.compare(read.what, { own: mine, baseline: theirs, to, group, posts: own.blog.size, trials: 1 });
  }
  await Promise.all([own, other].map(({ blog }) => blog.setListRule(OPEN)));
}

/** Measures one of them, beside bare Fastify or to the plain list; its rate. */
async function measure({ bench, blog, load, token, bare }, read, plain) {
  const { size: posts } = blog;
  const as = { user: token, superuser: blog.token }[read.as];
  const next = () => ({ path: pathOf(blog, read), token: as });
  const answer = await load.call('GET', next().path, { token: as });
  if (!read.one && answer.items.length === 0) throw new Error(`${read.what}: nothing was found.`);
  const row = { group: 'list', posts };
  if (bare && read.bare) {
    const baseline = () => bare.load.run({ path: read.bare(posts) });
    const { own } = await bench.compare(read.what, { own: () => load.run(next), to: 'bare Fastify', baseline, ...row });
    return own.rate;
  }
  const measurement = await load.run(next);
  bench.report.add(read.what, measurement, {
    ...row,
    ...(plain && { to: 'the plain list', ratio: measurement.rate / plain }),
  });
  return measurement.rate;
}

function pathOf(blog, read) {
  if (read.one) return `${blog.records('posts')}/${number('posts', blog.size - 1)}`;
  const parameters = { ...read.query };
  if (read.page === 'middle') parameters.page = Math.max(1, Math.floor(blog.size / 60));
  if (!read.isSame) {
    const other = `id != "${Math.random().toString(36).slice(2)}"`;
    parameters.filter = parameters.filter ? `(${parameters.filter}) && ${other}` : other;
  }
  return `${blog.records('posts')}?${new URLSearchParams(parameters)}`;
}
