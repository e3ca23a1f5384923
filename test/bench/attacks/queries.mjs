// What an address says: filters, sorts, picks of fields, and the texts around them.
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, posts as plainPosts } from '../attack-collections.mjs';
import { id } from '../attack-target.mjs';

const posts = {
  ...plainPosts,
  fields: [
    { name: 'title', type: 'text' },
    { name: 'body', type: 'text', max: 1_000_000 },
    { name: 'html', type: 'editor' },
    { name: 'doc', type: 'json' },
    { name: 'a', type: 'relation', collectionId: 'bench_posts___1', maxSelect: 2000 },
    { name: 'b', type: 'relation', collectionId: 'bench_posts___1', maxSelect: 2000 },
    { name: 'c', type: 'relation', collectionId: 'bench_posts___1', maxSelect: 2000 },
  ],
};

/** Lists of the posts, whose number and text are `count` and `body`. */
const asked = (name, query, { count = 400, values = { body: () => 'e'.repeat(10_000) }, times = 1 } = {}) => ({
  name,
  collections: [posts],
  rows: (db) => fill(db, count, values),
  run: (target) =>
    target.together(times, (index) => target.list('posts', typeof query === 'function' ? query(index) : query)),
});

const ids = (count) => () => JSON.stringify(Array.from({ length: count }, (_, index) => id(index)));
const note = { id: 'bench_notes___1', name: 'notes', type: 'base', fields: [{ name: 'x', type: 'text' }] };

/** Posts of many relations, and an index for each of them. */
const related = {
  ...plainPosts,
  fields: Array.from({ length: 60 }, (_, at) => ({
    name: `${at < 30 ? 's' : 'm'}${at % 30}`,
    type: 'relation',
    collectionId: plainPosts.id,
    maxSelect: at < 30 ? 1 : 10,
  })),
  indexes: Array.from({ length: 30 }, (_, at) => `CREATE INDEX idx_s${at} ON posts (s${at}, created)`),
};

/** Lists of which no two have the conditions in the same order. */
const orders = (name, condition, glue) => ({
  name: `20 lists under ${name}`,
  collections: [related],
  rows: (db) => fill(db, 100, { s0: (index) => id(index) }),
  run: (target) =>
    target.together(20, (first) =>
      target.list('posts', {
        filter: Array.from({ length: 30 }, (_, at) => condition((first + at) % 30)).join(glue),
      }),
    ),
});

/** A create of which the rule asks about a text of 4 MB in the body. */
const aboutBody = (createRule, unit) => ({
  name: `create under ${createRule}, 4 MB of ${unit}`,
  collections: [{ ...posts, createRule }],
  rows: (db) => fill(db, 1, { title: () => 'a' }),
  prepare: () => JSON.stringify({ title: 'a', html: unit.repeat(4_000_000 / unit.length) }),
  run: (target, body) => target.post('posts', body),
});

export const attacks = [
  aboutBody('title ~ @request.body.html', '_'),
  aboutBody('@request.body.html:lower = "x"', 'aA'),
  aboutBody('@request.body.html = html', '['),
  orders('30 conditions on back relations, 30 indexes', (at) => `posts_via_s${at}.id = 'x'`, '||'),
  orders('30 conditions on lists of related records', (at) => `m${at}.s1 = 'x'`, '&&'),
  asked("body ~ '%e<2,000 underscores>QQ', 400 texts of 10 KB", { filter: `body ~ '%e${'_'.repeat(2000)}QQ'` }),
  {
    ...asked('one expensive pattern after 29 cheap ones'),
    run: async (target) => {
      for (let index = 0; index < 29; index += 1) await target.list('posts', { filter: `body ~ 'q${index}'` });
      await target.list('posts', { filter: `body ~ '%e${'_'.repeat(2000)}QQ'` });
    },
  },
  asked(
    'a cross product of three lists by ||',
    { filter: 'a:each ?= "x" || b:each ?= "x" || c:each ?= "x"' },
    {
      count: 1,
      values: { a: ids(1200), b: ids(1200), c: ids(100) },
    },
  ),
  asked(
    'a cross product of relations by ||',
    { filter: 'a.title ?= "x" || b.title ?= "x" || c.title ?= "x" || a.a.title ?= "x"' },
    {
      count: 300,
      values: { a: ids(60), b: ids(60), c: ids(60) },
    },
  ),
  asked(
    "doc.kind = 'x' over 3,000 documents of 100 KB",
    { filter: "doc.kind = 'x'" },
    {
      count: 3000,
      values: { doc: (index) => JSON.stringify({ text: String(index).repeat(20_000).slice(0, 100_000) }) },
    },
  ),
  asked(
    'a sort by 3,000 texts of 100 KB',
    { sort: 'body', perPage: 1 },
    {
      count: 3000,
      values: { body: (index) => `${'x'.repeat(100_000)}${index}` },
    },
  ),
  asked(
    '20 last pages of 150,000 records of 1.5 KB, sorted',
    (index) => ({ sort: '-title', page: 4900 + index, perPage: 30, skipTotal: 1 }),
    {
      count: 150_000,
      values: { title: (index) => `T ${(index * 7919) % 150_000}`, body: (index) => `${index}`.padEnd(1500, 'y') },
      times: 20,
    },
  ),
  asked(
    'title:lower over 3,000 texts of 100 KB',
    { filter: 'body:lower = "x"' },
    {
      count: 3000,
      values: { body: (index) => `${'X'.repeat(100_000)}${index}` },
    },
  ),
  asked(
    'fields=h:excerpt(90000) on 500 texts of 96 KB',
    { fields: 'html:excerpt(90000)', perPage: 500 },
    {
      count: 500,
      values: { html: (index) => `<p>${index} ${'a <b>b</b> &amp; '.repeat(6000)}</p>` },
    },
  ),
  asked(
    'fields=*:excerpt(90000) on 500 texts of 96 KB',
    { fields: '*,html:excerpt(9),html:excerpt(90000)', perPage: 500 },
    {
      count: 500,
      values: { html: (index) => `${index}${'<'.repeat(96_000)}` },
    },
  ),
  asked(
    'excerpts of 5,000 nested elements',
    { fields: 'html:excerpt(500000)', perPage: 500 },
    {
      count: 100,
      values: { html: () => '<div><p>a'.repeat(10_000) },
    },
  ),
  asked(
    'a page of 1,000 records of 1 MB',
    { perPage: 1000 },
    {
      count: 1000,
      values: { html: () => 'x'.repeat(1_000_000) },
    },
  ),
  asked('eight pages of 300 records of 1 MB', (index) => ({ perPage: 300, filter: `title != '${index}'` }), {
    count: 300,
    values: { html: () => 'x'.repeat(1_000_000) },
    times: 8,
  }),
  asked('20 pages of 500 documents of 1,000 levels', (index) => ({ perPage: 500, filter: `title != '${index}'` }), {
    count: 500,
    values: { doc: () => `${'{"a":'.repeat(990)}1${'}'.repeat(990)}` },
    times: 20,
  }),
  asked('a filter of 1,000 brackets', { filter: `${'('.repeat(1000)}title=1${')'.repeat(1000)}` }),
  asked('a filter of the longest text, 50 times', (index) => ({ filter: `title!='${index}${'x'.repeat(3000)}'` }), {
    times: 50,
  }),
  asked(
    'a filter of 300 conditions, 50 times',
    (index) => ({ filter: Array.from({ length: 190 }, (_, at) => `title!='${index}.${at}'`).join('&&') }),
    { times: 50 },
  ),
  asked('a filter of 12 KB of blanks', { filter: `title=1${' '.repeat(12_000)}` }),
  asked('a sort of 2,000 names', { sort: Array.from({ length: 2000 }, () => '-title').join(',') }),
  asked(
    'fields of 3,000 names on 500 records',
    { fields: Array.from({ length: 2500 }, (_, index) => `f${index}`).join(','), perPage: 500 },
    { count: 500 },
  ),
  {
    // As a raw address: its commas take three times the room otherwise.
    ...asked('fields of 1,900 keys on 140,000 objects of a document', '', {
      count: 1,
      values: { doc: () => `[${'{"":0},'.repeat(140_000)}{}]` },
    }),
    run: (target) => {
      const fields = Array.from({ length: 1900 }, (_, index) => `doc.${index.toString(36)}`).join(',');
      return target.raw('GET', `/api/collections/posts/records/${id(0)}?fields=${fields}`);
    },
  },
  asked('an expand of 2,000 paths', { expand: Array.from({ length: 2000 }, (_, index) => `a.b${index}`).join(',') }),
  asked(
    '50 query strings of 15 KB of pairs',
    (index) => Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`k${index}.${at}`, '1'])),
    { times: 50 },
  ),
  asked('50 query strings of one name', () => Array.from({ length: 3000 }, () => ['a', '1']), { times: 50 }),
  {
    name: '100 addresses of 15 KB of percent signs',
    run: (target) => target.together(100, () => target.raw('GET', `/api/collections/${'%41'.repeat(5000)}/records`)),
  },
  {
    name: '10,000 addresses and referers of 7 KB, 100 at a time',
    run: async (target) => {
      const referer = `https://a.example/?${'e'.repeat(7000)}`;
      for (let time = 0; time < 100; time += 1) {
        await target.together(100, (index) =>
          target.raw('GET', `/api/none?${'e'.repeat(7000)}${time}.${index}`, { referer }),
        );
      }
    },
  },
  {
    name: '100 heads of 15 KB of header lines',
    run: (target) =>
      target.together(100, () =>
        target.raw(
          'GET',
          '/api/collections/users/records',
          Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x-${index}`, 'abc'])),
        ),
      ),
  },
  {
    name: '100 tokens of 15 KB',
    run: (target) =>
      target.together(100, () =>
        target.send('GET', '/api/collections/users/records', undefined, {
          token: `${'a'.repeat(7000)}.${'b'.repeat(7000)}.c`,
        }),
      ),
  },
  {
    name: 'addresses of proxies, 15 KB each, 100 times',
    settings: { trustedProxy: { headers: ['X-Forwarded-For'], useLeftmostIP: true } },
    run: (target) =>
      target.together(100, () =>
        target.send('GET', '/api/health', undefined, { headers: { 'x-forwarded-for': '1.1.1.1,'.repeat(1800) } }),
      ),
  },
  {
    name: 'create under @collection.posts.title ?= @request.body.note, 1,000,000 posts',
    collections: [
      posts,
      { ...note, id: 'bench_asks____1', name: 'asks', createRule: '@collection.posts.title ?= @request.body.x' },
    ],
    rows: (db) => fill(db, 1_000_000, { title: (index) => `Post ${index}` }),
    run: (target) => target.together(8, () => target.post('asks', { x: 'nothing' })),
  },
  {
    name: 'create under @collection.a.x ?= @collection.b.y, 1,000 x 1,000,000',
    collections: [
      posts,
      note,
      { ...note, id: 'bench_asks____1', name: 'asks', createRule: '@collection.notes.x ?= @collection.posts.title' },
    ],
    rows: (db) => {
      fill(db, 1_000_000, { title: (index) => `Post ${index}` });
      fill(db, 1000, { x: (index) => `Note ${index}` }, 'notes');
    },
    flags: ['--queryTimeout=3'],
    run: (target) => target.post('asks', { x: 'nothing' }),
  },
  {
    name: '200 lists of 60 shapes that are searched from end to end',
    collections: [posts],
    rows: (db) => fill(db, 100_000, { title: (index) => `Post ${index}`, html: (index) => `x${index}`.repeat(200) }),
    run: async (target) => {
      const filter = (index) =>
        Array.from({ length: 1 + (index % 60) }, (_, at) => `html ~ 'a${index}.${at}%b'`).join(' || ');
      void target.together(200, (index) => target.list('posts', { filter: filter(index) }));
      await sleep(1000);
      const other = new URLSearchParams({ filter: "title ~ 'nothing'" });
      return target.waitOf('a list for somebody else', 'GET', `/api/collections/posts/records?${other}`);
    },
  },
  {
    name: 'the log is read with an expensive filter',
    run: async (target) => {
      const { token } = target;
      await target.together(500, (index) => target.send('GET', `/api/none?${'e'.repeat(3000)}${index}`));
      const filter = `data.url ~ '%e${'_'.repeat(2000)}QQ'`;
      await target.send('GET', `/api/logs?${new URLSearchParams({ filter })}`, undefined, { token });
    },
  },
  {
    name: 'five scripts of the SQL console for 1 GB',
    run: (target) => {
      const count = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 250)';
      const query = `${count} SELECT hex(zeroblob(2000000)) FROM t`;
      return target.together(5, () => target.send('POST', '/api/sql', { query }, { token: target.token }));
    },
  },
];
