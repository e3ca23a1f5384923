// What a body says about a record: every value is worked on before a rule can be asked.
import { form, id, records } from '../attack-target.mjs';

const MANY = 50_000;
const DIGITS = '1'.repeat(100_000);

/** A field of every type, and nobody may create. */
const closed = {
  id: 'bench_closed__1',
  name: 'closed',
  type: 'base',
  createRule: '@request.body.title = "nothing has this title"',
  fields: [
    { name: 'title', type: 'text', max: 0 },
    { name: 'code', type: 'text', max: 5_000_000, pattern: '^(a+)+$' },
    { name: 'n', type: 'number' },
    { name: 'flag', type: 'bool' },
    { name: 'mail', type: 'email' },
    { name: 'page', type: 'url' },
    { name: 'at', type: 'date' },
    { name: 'html', type: 'editor' },
    { name: 'doc', type: 'json' },
    { name: 'place', type: 'geoPoint' },
    { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
    { name: 'links', type: 'relation', collectionId: 'bench_closed__1', maxSelect: 100_000 },
    { name: 'papers', type: 'file', maxSelect: 99 },
  ],
};
const open = {
  ...closed,
  fields: closed.fields.map((field) => (field.collectionId ? { ...field, collectionId: 'bench_open____1' } : field)),
  id: 'bench_open____1',
  name: 'open',
  createRule: '',
  listRule: '',
  viewRule: '',
};

const ids = (letter, count = MANY) => Array.from({ length: count }, (_, index) => id(index, letter));
const nested = (depth, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);
/** So many lists of 900 levels. */
const chains = (count) => `[${`${nested(900)},`.repeat(count)}0]`;
const lists = (count) => `[${'[],'.repeat(count - 1)}[]]`;

/** Collections with text fields of these names. */
const manyCollections = (count, names) =>
  Array.from({ length: count }, (_, index) => ({
    name: `many_${index}`,
    type: 'base',
    listRule: '',
    fields: names.map((name) => ({ name, type: 'text' })),
  }));

/** Creates that a rule refuses; `value` may be the text of JSON. */
const refused = (what, field, value, count = 1) => ({
  name: `refused create, ${what}`,
  collections: [closed],
  prepare: () => `{${JSON.stringify(field)}:${typeof value === 'function' ? value() : JSON.stringify(value)}}`,
  run: (target, body) => target.together(count, () => target.post('closed', body)),
});

const taken = (what, field, value, count = 1) => ({
  ...refused(what, field, value, count),
  name: `create, ${what}`,
  collections: [open],
  run: (target, body) => target.together(count, () => target.post('open', body)),
});

/** The body is what another than a record is made of. */
const signIn = (what, body) => ({
  name: `sign-in, ${what}`,
  prepare: body,
  run: (target, text) =>
    target.together(3, () => target.send('POST', '/api/collections/users/auth-with-password', text)),
});

export const attacks = [
  refused('a number of 100,000 digits and an x', 'n', `${DIGITS}x`),
  refused('a number of 30 MB of digits', 'n', () => `"${'1'.repeat(30_000_000)}x"`),
  refused('a number of blanks', 'n', `${' '.repeat(1_000_000)}x`),
  refused('a coordinate of 100,000 digits', 'place', { lon: `${DIGITS}x`, lat: `${DIGITS}.` }),
  refused('a geoPoint as a text of 5 MB', 'place', `{"lon":${'1'.repeat(5_000_000)}}`),
  refused('a bool of 1 MB', 'flag', 'T'.repeat(1_000_000)),
  refused('a date of 1 MB of digits', 'at', '1'.repeat(1_000_000)),
  refused('a date of 1 MB of blanks', 'at', `2026-01-01${' '.repeat(1_000_000)}x`),
  refused('an address of 1 MB of dots', 'mail', `a@${'a.'.repeat(500_000)}`),
  refused('a URL of 5 MB', 'page', `https://${'a.'.repeat(2_500_000)}`),
  refused('a URL of percent signs', 'page', `https://a.example/${'%41'.repeat(1_000_000)}`),
  refused('a select of a million values', 'tags', () => JSON.stringify(ids('a', 1_000_000))),
  refused('a relation of a million ids', 'links', () => JSON.stringify(ids('a', 1_000_000))),
  taken('4 MB of control characters', 'html', '\u0001'.repeat(4_000_000)),
  refused('a text of 4 MB of control characters for JSON', 'doc', '\u0001'.repeat(4_000_000)),
  refused('a select of one number 1,900,000 times', 'tags', () => `[${'1,'.repeat(1_899_999)}1]`),
  {
    name: '200 refused creates, each with a select of 4 MB of text, eight at once',
    collections: [open],
    prepare: () => JSON.stringify({ tags: 'x'.repeat(4_000_000) }),
    run: (target, body) =>
      target.together(8, async () => {
        for (let index = 0; index < 25; index += 1) await target.post('open', body);
      }),
  },
  {
    name: 'refused create, tags+ of 50,000 ids and tags- of others',
    collections: [closed],
    prepare: () => JSON.stringify({ 'links+': ids('a'), 'links-': ids('b'), '+links': ids('c') }),
    run: (target, body) => target.post('closed', body),
  },
  {
    name: 'refused create, tags+ and tags- of 500,000 ids',
    collections: [closed],
    prepare: () => JSON.stringify({ 'links+': ids('a', 500_000), 'links-': ids('b', 500_000) }),
    run: (target, body) => target.post('closed', body),
  },
  refused('a text that is a list of two million lists', 'title', () => lists(2_000_000)),
  refused('a text that is a list of 500 levels', 'title', () => nested(500)),
  refused('JSON as text, 500,000 lists', 'doc', () => JSON.stringify(lists(500_000))),
  refused('JSON as text, 1,000,000 levels', 'doc', () => JSON.stringify(nested(1_000_000))),
  refused('JSON as text, a number of 5 MB', 'doc', () => JSON.stringify('1'.repeat(5_000_000))),
  refused('JSON, 10,000,000 zeros', 'doc', () => `[${'0,'.repeat(9_999_999)}0]`),
  refused('JSON of 1,000,000 names', 'doc', () => `{${ids('n', 1_000_000).map((name) => `"${name}":0`)}}`),
  refused('JSON of 30 MB of text', 'doc', () => `"${'é\\n'.repeat(7_500_000)}"`),
  refused('JSON as text, 1 MB of chains of 900 lists', 'doc', () => JSON.stringify(chains(580))),
  refused('JSON as text, 1 MB of opening brackets', 'doc', () => `"${'['.repeat(1_000_000)}"`),
  taken('JSON of 1 MB of lists', 'doc', () => lists(300_000), 10),
  taken('JSON of 1 MB of lists of ten levels', 'doc', () => `[${`${nested(10)},`.repeat(48_000)}0]`, 3),
  taken('JSON of 1 MB of chains of 900 lists', 'doc', () => chains(580), 3),
  taken('JSON of 1,000,000 names', 'doc', () => `{${ids('n', 1_000_000).map((name) => `"${name}":0`)}}`),
  taken('JSON of 50,000 names', 'doc', () => `{${ids('n', 50_000).map((name) => `"${name}":0`)}}`, 10),
  taken('JSON of 900,000 objects of a name each', 'doc', () => `[${ids('n', 900_000).map((name) => `{"${name}":0}`)}]`),
  taken('a number of 30 MB', 'n', () => '9'.repeat(30_000_000)),
  taken('text for a pattern of nested repeats', 'code', `${'a'.repeat(4_000_000)}b`),
  taken('a text of 5,000,000 combining marks', 'title', '\u0301'.repeat(1_500_000)),
  taken('an editor of 5 MB', 'html', '<p>'.repeat(1_700_000)),
  signIn('an identity of ten million lists', () => `{"identity":${lists(10_000_000)},"password":"x"}`),
  signIn('a password of 30 MB', () => `{"identity":"a@b.example","password":"${'x'.repeat(30_000_000)}"}`),
  signIn('ten million names', () => `{${'"a":0,'.repeat(4_000_000)}"identity":"a","password":"x"}`),
  {
    name: 'a body of 1,000,000 levels',
    collections: [closed],
    prepare: () => `{"doc":${nested(1_000_000)}}`,
    run: (target, body) => target.post('closed', body),
  },
  {
    name: 'ten bodies of 30 MB at once, records',
    collections: [closed],
    prepare: () => `{"doc":${lists(10_000_000)}}`,
    run: (target, body) => target.together(10, () => target.post('closed', body)),
  },
  {
    name: 'ten bodies of 30 MB of text at once, records',
    collections: [closed],
    prepare: () => Buffer.from(`{"title":"${'x'.repeat(30_000_000)}"}`),
    run: (target, body) => target.together(10, () => target.post('closed', body)),
  },
  {
    name: 'ten bodies of 30 MB at once, sent to where a few bytes belong',
    prepare: () => Buffer.from(`{"clientId":${lists(10_000_000)}}`),
    run: (target, body) => target.together(10, () => target.send('POST', '/api/realtime', body)),
  },
  {
    name: 'multipart, 100,000 small fields',
    collections: [closed],
    prepare: () => form(Array.from({ length: 100_000 }, (_, index) => ({ name: `f${index}`, value: '1' }))),
    run: (target, { body, headers }) => target.post('closed', body, { headers }),
  },
  {
    name: 'multipart, one name 100,000 times',
    collections: [closed],
    prepare: () => form(Array.from({ length: 100_000 }, (_, index) => ({ name: 'links+', value: id(index) }))),
    run: (target, { body, headers }) => target.post('closed', body, { headers }),
  },
  {
    name: 'multipart, a part with headers of 10 MB',
    collections: [closed],
    prepare: () => form([{ name: 'a', value: '1', type: `text/plain${'; a="b"'.repeat(1_500_000)}` }]),
    run: (target, { body, headers }) => target.post('closed', body, { headers }),
  },
  {
    name: 'multipart, @jsonPayload of 30 MB of lists',
    collections: [closed],
    prepare: () => form([{ name: '@jsonPayload', value: `{"doc":${lists(9_000_000)}}` }]),
    run: (target, { body, headers }) => target.post('closed', body, { headers }),
  },
  {
    name: 'multipart, 1,000 times @jsonPayload',
    collections: [closed],
    prepare: () =>
      form(
        Array.from({ length: 1000 }, (_, index) => ({
          name: '@jsonPayload',
          value: `{"tags+":${JSON.stringify(ids(`t${index % 9}`, 500))}}`,
        })),
      ),
    run: (target, { body, headers }) => target.post('closed', body, { headers }),
  },
  {
    name: 'multipart, 60 files with names of 30 KB',
    collections: [open],
    prepare: () =>
      form(Array.from({ length: 60 }, () => ({ name: 'papers', filename: `${'é.'.repeat(10_000)}txt`, value: 'x' }))),
    run: (target, { body, headers }) => target.post('open', body, { headers }),
  },
  {
    name: 'multipart, 900 fields with names of 60 KB',
    collections: [open],
    prepare: () =>
      form(Array.from({ length: 900 }, (_, index) => ({ name: `${index}${'n'.repeat(60_000)}`, value: '1' }))),
    run: (target, { body, headers }) => target.post('open', body, { headers }),
  },
  {
    name: 'multipart, 900 fields with names of 60 KB of percent signs, five times',
    collections: [open],
    prepare: () =>
      form(Array.from({ length: 900 }, (_, index) => ({ name: `${index}${'%C3%A9'.repeat(10_000)}`, value: '1' }))),
    run: (target, { body, headers }) => target.together(5, () => target.post('open', body, { headers })),
  },
  {
    name: 'multipart, 4,500 file names of Unicode, 900 a form',
    collections: [open],
    prepare: () =>
      form(Array.from({ length: 900 }, () => ({ name: 'papers', filename: `${'é.'.repeat(10_000)}txt`, value: 'x' }))),
    run: (target, { body, headers }) => target.together(5, () => target.post('open', body, { headers })),
  },
  {
    name: 'a form of 900 names of 30 KB, five times',
    collections: [open],
    prepare: () =>
      ids('n', 900)
        .map((name) => `${name}${'%C3%A9'.repeat(5500)}=1`)
        .join('&'),
    run: (target, body) =>
      target.together(5, () =>
        target.post('open', body, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      ),
  },
  {
    name: 'JSON of 900 names of 30 KB, five times',
    collections: [open],
    prepare: () => JSON.stringify(Object.fromEntries(ids('n', 900).map((name) => [`${name}${'é'.repeat(15_000)}`, 1]))),
    run: (target, body) => target.together(5, () => target.post('open', body)),
  },
  ...['[', '{"a":', 'a,b\n', '<!---->'].map((unit) => ({
    name: `multipart, 99 files of 4 KB of ${unit.trimEnd()}`,
    collections: [open],
    prepare: () =>
      form(
        Array.from({ length: 99 }, () => ({ name: 'papers', filename: 'a', value: unit.repeat(4200 / unit.length) })),
      ),
    run: (target, { body, headers }) => target.post('open', body, { headers }),
  })),
  {
    name: 'multipart, 10,000 empty files',
    collections: [open],
    prepare: () => form(Array.from({ length: 10_000 }, () => ({ name: 'papers', filename: 'a.txt', value: '' }))),
    run: (target, { body, headers }) => target.post('open', body, { headers }),
  },
  {
    name: 'multipart, 20 MB of almost a boundary',
    collections: [closed],
    prepare: () => form([{ name: 'title', value: '\r\n--roost-bench-boundar'.repeat(900_000) }]),
    run: (target, { body, headers }) => target.post('closed', body, { headers }),
  },
  ...['a=1&', 'tags%2B=x&', '%C3%A9%C3%A9&', '&', '=%%%&'].map((pair) => ({
    name: `a form of 30 MB of ${pair}`,
    collections: [closed],
    prepare: () => pair.repeat(30_000_000 / pair.length),
    run: (target, body) =>
      target.post('closed', body, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  })),
  {
    name: 'batch, 30 MB of items',
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    collections: [closed],
    prepare: () => `{"requests":[${'{"method":"GET","url":""},'.repeat(1_000_000)}{}]}`,
    run: (target, body) => target.send('POST', '/api/batch', body),
  },
  {
    name: 'batch, references in lists of 30 MB',
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    collections: [open],
    prepare: () => {
      const reference = '"@request.data.requests.0.id",';
      return JSON.stringify({
        requests: [
          { method: 'POST', url: records('open'), body: { title: 'x' } },
          { method: 'POST', url: records('open'), body: { doc: 'LIST' } },
        ],
      }).replace('"LIST"', `[${reference.repeat(900_000)}0]`);
    },
    run: (target, body) => target.send('POST', '/api/batch', body),
  },
  {
    name: 'batch, 50 items with 10,000 headers each, three times',
    collections: [open],
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    prepare: () => {
      const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`h${index}`, 'some text']));
      const one = { method: 'POST', url: records('open'), headers, body: { title: 'x' } };
      return JSON.stringify({ requests: Array.from({ length: 50 }, () => one) });
    },
    run: (target, body) => target.together(3, () => target.send('POST', '/api/batch', body)),
  },
  ...['headers', 'body', 'url', 'method'].map((property) => ({
    name: `batch, 4 MB of text for ${property}`,
    collections: [open],
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    prepare: () => {
      const one = { method: 'POST', url: records('open'), body: { title: 'x' }, [property]: 'x'.repeat(4_000_000) };
      return JSON.stringify({ requests: [one] });
    },
    run: (target, body) => target.send('POST', '/api/batch', body),
  })),
  {
    name: 'batch, 4 MB of lists in a text of an item',
    collections: [open],
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    prepare: () => `{"requests":[{"method":"POST","url":"${records('open')}","body":{"title":${lists(1_300_000)}}}]}`,
    run: (target, body) => target.send('POST', '/api/batch', body),
  },
  {
    name: 'batch, 5,000 items that change nothing, five times',
    collections: [open],
    settings: { batch: { enabled: true, maxRequests: 5000, timeout: 30 } },
    prepare: () => {
      const one = { method: 'PATCH', url: `${records('open')}/none`, body: {} };
      return JSON.stringify({ requests: Array.from({ length: 5000 }, () => one) });
    },
    run: (target, body) => target.together(5, () => target.send('POST', '/api/batch', body)),
  },
  {
    name: 'batch, an address of 10 MB',
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    collections: [open],
    prepare: () =>
      JSON.stringify({
        requests: [{ method: 'POST', url: `${records('open')}?${'expand=a.b&%41=%42&'.repeat(500_000)}`, body: {} }],
      }),
    run: (target, body) => target.send('POST', '/api/batch', body),
  },
  {
    name: 'a collection of four fields of 49,000 properties',
    prepare: () => {
      const properties = ids('p', 49_000).map((name) => `"${name}":0`);
      const fields = ids('f', 4).map((name) => `{"type":"text","name":"${name}",${properties}}`);
      return `{"name":"odd","type":"base","fields":[${fields}]}`;
    },
    run: (target, body) => target.send('POST', '/api/collections', body, { token: target.token }),
  },
  {
    name: 'an import of 30 MB of collections',
    prepare: () => `{"collections":[${'{"name":"a","fields":[{}]},'.repeat(900_000)}{}]}`,
    run: (target, body) => target.send('PUT', '/api/collections/import', body, { token: target.token }),
  },
  {
    name: 'an import of 3,000 collections',
    prepare: () => JSON.stringify({ collections: manyCollections(3000, ['one']) }),
    run: (target, body) => target.send('PUT', '/api/collections/import', body, { token: target.token }),
  },
  {
    name: 'an import that changes 1,000 collections',
    collections: manyCollections(1000, ['one']),
    prepare: () => JSON.stringify({ collections: manyCollections(1000, ['one', 'two']) }),
    run: (target, body) => target.send('PUT', '/api/collections/import', body, { token: target.token }),
  },
  {
    name: 'a collection of 5,000 fields',
    prepare: () => ({
      name: 'wide',
      type: 'base',
      fields: Array.from({ length: 5000 }, (_, index) => ({ name: `f${index}`, type: 'text' })),
    }),
    run: (target, body) => target.send('POST', '/api/collections', body, { token: target.token }),
  },
  {
    name: 'settings with 2,500 rules of rate limits, then with 250',
    prepare: () => {
      const rule = (index) => ({ label: `/api/${index}/`, audience: '', duration: 60, maxRequests: 100 });
      const rules = Array.from({ length: 2500 }, (_, index) => rule(index));
      return [rules, rules.slice(0, 250)].map((some) => ({ rateLimits: { enabled: true, rules: some } }));
    },
    run: async (target, bodies) => {
      for (const body of bodies) await target.send('PATCH', '/api/settings', body, { token: target.token });
    },
  },
  {
    name: 'settings with 15,000 addresses',
    prepare: () => {
      const addresses = Array.from({ length: 15_000 }, (_, index) => `10.${index >> 8}.${index & 255}.1`);
      return { rateLimits: { enabled: true, excludedIPs: addresses } };
    },
    run: (target, body) => target.send('PATCH', '/api/settings', body, { token: target.token }),
  },
  {
    name: 'settings of 30 MB',
    prepare: () => `{"meta":{"appName":"${'x'.repeat(30_000_000)}"}}`,
    run: (target, body) => target.send('PATCH', '/api/settings', body, { token: target.token }),
  },
];
