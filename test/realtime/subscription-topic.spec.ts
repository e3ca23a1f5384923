import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SubscriptionTopic } from '../../src/realtime/subscription-topic.js';

const topic = (text: string) => new SubscriptionTopic(text);
const query = (text: string) => topic(text).request.query;
const sdk = (options: unknown) => `posts/*?options=${encodeURIComponent(JSON.stringify(options))}`;

describe('a topic', () => {
  it.each([
    ['posts/*', 'posts/*', 'list'],
    ['posts', 'posts', 'list'],
    ['posts/abc', 'posts/abc', 'view'],
    ['posts/*?filter=a=1', 'posts/*', 'list'],
    ['posts/abc?expand=a??', 'posts/abc', 'view'],
    ['?a', '', 'list'],
    ['', '', 'list'],
  ])('RT-40 %s is cut at its first question mark', (text, path, ruleKind) => {
    expect(topic(text)).toMatchObject({ text, path, ruleKind });
  });

  it('RT-61 is a GET in the realtime context without a body', () => {
    expect(topic('posts/*').request).toEqual({
      context: 'realtime',
      method: 'GET',
      query: {},
      headers: {},
      body: {},
    });
  });
});

describe('the plain form of options', () => {
  it.each([
    [
      "posts/*?filter=status='published' && views > 10&fields=id,title",
      { filter: "status='published' && views > 10", fields: 'id,title' },
    ],
    [
      "posts/*?filter=status%3D'published'%20%26%26%20views%3E10&expand=author",
      { filter: "status='published' && views>10", expand: 'author' },
    ],
    ['posts/abc123?expand=author,author.team', { expand: 'author,author.team' }],
    ['posts/*?fields=id&filter=a ?= 1&expand=b', { fields: 'id', filter: 'a ?= 1', expand: 'b' }],
    ['posts/*?filter=a=1&filter=b=2', { filter: 'a=1' }],
    ['posts/*?filter=a=1&other=2', { filter: 'a=1&other=2' }],
    ['posts/*?expand=author&other=2', { expand: 'author' }],
    ['posts/*?other=2&expand=author', { expand: 'author' }],
    ['posts/*?filter=', { filter: '' }],
    ['posts/*?filter', {}],
    ['posts/*?', {}],
    ['posts/*?FILTER=a=1', {}],
    ['posts/*?filter=a+b', { filter: 'a+b' }],
    ['posts/*?filter=a+b%20c', { filter: 'a b c' }],
    ['posts/*?filter=100%', { filter: '100%' }],
    ['posts/*?filter=%zz', { filter: '%zz' }],
    ['posts/*?filter=a%E0%A4b', { filter: 'a%E0%A4b' }],
    ['posts/*?__proto__=1', {}],
  ])('RT-45 %s', (text, expected) => {
    expect(query(text)).toEqual(expected);
  });

  const value = fc.string({ unit: 'binary', maxLength: 60 });

  it('RT-45 gives back whatever was percent-encoded, in any order of the keys', () => {
    fc.assert(
      fc.property(
        value,
        value.filter((text) => !text.includes('&')),
        fc.shuffledSubarray(['filter', 'expand', 'fields'], { minLength: 3 }),
        (filter, other, order) => {
          const values: Record<string, string> = { filter, expand: other, fields: other };
          const options = order.map((key) => `${key}=${encodeURIComponent(values[key]!)}`).join('&');
          expect(query(`posts/*?${options}`)).toEqual(values);
        },
      ),
    );
  });

  it('RT-45 gives back a raw filter with all it may hold', () => {
    const piece = fc.constantFrom('a', '=', '&&', '&', '?', '||', ' ', "'x'", 'filter', '>', '(', ')');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
        const filter = pieces.join('');
        fc.pre(!/&(filter|expand|fields|options)=/.test(filter));
        expect(query(`posts/*?filter=${filter}&fields=id`)).toEqual({ filter, fields: 'id' });
      }),
    );
  });

  it('RT-42 RT-44 takes any text apart without failing, and keeps it as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const parsed = topic(`posts/*?${text}`);
        expect(parsed.text).toBe(`posts/*?${text}`);
        expect(parsed.path).toBe('posts/*');
        for (const entry of Object.values(parsed.request.query)) expect(typeof entry).toBe('string');
      }),
    );
  });
});

describe('the form of the official SDK', () => {
  it('RT-44 makes texts of all values', () => {
    const { request } = topic(
      sdk({
        query: { a: true, b: 1, c: null, d: [1], e: { f: 1 }, g: 'x&y=z+%20' },
        headers: { 'X-Token': 1.5, A_b: 'q' },
      }),
    );
    expect(request.query).toEqual({ a: 'true', b: '1', c: '', d: '', e: '', g: 'x&y=z+%20' });
    expect(request.headers).toEqual({ x_token: '1.5', a_b: 'q' });
  });

  it('RT-44 lets filter, expand and fields of the query act', () => {
    const parsed = topic(sdk({ query: { filter: 'a=1', expand: 'author.team', fields: 'id' } }));
    expect(parsed.filter).toBe('a=1');
    expect(parsed.expand).toEqual([{ name: 'author', steps: [{ name: 'team', steps: [] }] }]);
    expect([...parsed.picker!.keys.keys()]).toEqual(['id']);
  });

  it.each(['%7B', '[]', '1', 'null', '"x"', '%7B%22query%22%3A1%7D', '{"query":[]}', '%E0'])(
    'RT-44 takes %s as no options',
    (options) => {
      const { request } = topic(`posts/*?options=${options}`);
      expect(request.query).toEqual({});
      expect(request.headers).toEqual({});
    },
  );

  it('RT-44 reads JSON that was not encoded, also before a foreign key', () => {
    expect(query('posts/*?options={"query":{"filter":"a=1 && b=2"}}')).toEqual({ filter: 'a=1 && b=2' });
    expect(query(`${sdk({ query: { x: 'y' } })}&other=1`)).toEqual({ x: 'y' });
  });

  it('RT-46 lets its query win over the plain keys and keeps those it does not name', () => {
    const text = `posts/*?filter=a=1&expand=b&options=${encodeURIComponent('{"query":{"filter":"c=1","n":2}}')}`;
    expect(query(text)).toEqual({ filter: 'c=1', expand: 'b', n: '2' });
  });

  it('RT-74 shows the whole record when fields are malformed', () => {
    expect(topic('posts/*?fields=a:b(').picker).toBeUndefined();
    expect(topic('posts/*?fields=').picker).toBeUndefined();
    expect(topic('posts/*').picker).toBeUndefined();
  });

  it('RT-44 gives back any map of texts', () => {
    const map = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(map, (texts) => {
        expect({ ...query(sdk({ query: texts })) }).toEqual({ ...texts });
      }),
    );
  });
});
