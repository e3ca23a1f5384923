import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isLong, jsonInPieces } from '../../src/kernel/json-in-pieces.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { watchJson } from '../support/watch-json.js';

/** As many characters of a text that JSON writes with six for each. */
const controls = (count: number) => '\u0001'.repeat(count);

describe('jsonInPieces', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.constantFrom('\ud83d', '\ude00', '😀', '"', '\\', '\u0000'),
  );
  const longText = fc.tuple(unit, fc.integer({ min: 0, max: 200_000 })).map(([text, length]) => {
    return text.repeat(Math.ceil(length / Math.max(text.length, 1))).slice(0, length);
  });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      longText,
      fc.jsonValue(),
      fc.constantFrom(undefined, new Date(0), null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
    ),
  }));

  it('OPS-39 writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(value, (answer) => {
        expect([...jsonInPieces(answer, '>')].join('')).toBe(`>${JSON.stringify(answer) ?? 'null'}`);
      }),
      { numRuns: 300 },
    );
  });

  it('OPS-39 writes no long piece of a long text, wherever that stands', () => {
    const answer = {
      title: 'x',
      html: controls(1_000_000),
      expand: { notes: [{ html: controls(300_000) }, { n: 1 }] },
    };
    const lengths = [...jsonInPieces(answer)].map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThan(600_000);
    expect(lengths.length).toBeGreaterThan(15);
  });

  it.each<[boolean, object]>([
    [false, { id: 'a', title: 'x'.repeat(100_000), doc: { a: controls(1_000_000) }, count: 1, none: null }],
    [true, { id: 'a', html: 'x'.repeat(1_000_000) }],
    [false, { id: 'a', expand: { author: { name: 'x' } } }],
    [true, { id: 'a', expand: { notes: [{ html: 'x'.repeat(1_000_000) }] } }],
    [true, { token: 'a', record: { html: 'x'.repeat(1_000_000) } }],
  ])('OPS-39 says %s to whether an answer is written so', (expected, answer) => {
    expect(isLong(answer)).toBe(expected);
  });
});

describe('a record with a long text', () => {
  let roost: TestRoost;
  const posts = '/api/collections/posts/records';
  const html = `${controls(600_000)}😀`;

  beforeAll(async () => {
    roost = await startRoost();
    const open = { listRule: '', viewRule: '', createRule: '', updateRule: '' };
    const fields = [
      { name: 'html', type: 'editor' },
      { name: 'other', type: 'relation', collectionId: 'long_posts____1', maxSelect: 1 },
    ];
    await roost.createCollections({ id: 'long_posts____1', name: 'posts', type: 'base', fields, ...open });
  });
  afterAll(() => roost.close());
  afterEach(() => void vi.restoreAllMocks());

  it('OPS-39 is answered in pieces of which none is long, and as any other', async () => {
    const made = await roost.inject({ method: 'POST', url: posts, body: { html } });
    const longest = watchJson();
    const changed = await roost.inject({
      method: 'PATCH',
      url: `${posts}/${made.body.id}`,
      body: { other: made.body.id },
    });
    const viewed = await roost.inject({ url: `${posts}/${made.body.id}?expand=other` });
    const listed = await roost.inject({ url: posts });
    expect(longest()).toBeLessThan(1_000_000);
    vi.restoreAllMocks();

    expect([made.status, changed.status, viewed.status, listed.status]).toEqual([200, 200, 200, 200]);
    for (const record of [made.body, changed.body, viewed.body.expand.other, listed.body.items[0]]) {
      expect(record.html).toBe(html);
    }
    expect(Number(viewed.headers['content-length'])).toBe(viewed.raw.length);
    expect(viewed.headers['content-type']).toMatch(/^application\/json/);
    expect(viewed.text).toBe(JSON.stringify(viewed.body));
  });

  it('OPS-35 is compressed for whoever takes that', async () => {
    const { body } = await roost.inject({ method: 'POST', url: posts, body: { html } });
    const plain = await roost.inject({ url: `${posts}/${body.id}` });
    const zipped = await roost.inject({ url: `${posts}/${body.id}`, headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.raw).toString()).toBe(plain.text);
    const head = await roost.inject({ method: 'HEAD', url: `${posts}/${body.id}` });
    expect([head.status, head.raw.length, head.headers['content-length']]).toEqual([
      200,
      0,
      plain.headers['content-length'],
    ]);
  });
});
