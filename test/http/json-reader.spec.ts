import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { JsonLimitError, type JsonLimits, JsonOutline } from '../../src/http/body/json-outline.js';
import { readJson } from '../../src/http/body/json-reader.js';

const LIMITS = { maxValues: 1_000_000, maxLevels: 1000, maxKeys: 100_000 };
/** Bytes of a text that is long enough to be read in many slices. */
const LENGTH = 1024 * 1024;
const read = async (text: string, limits: JsonLimits = LIMITS) => (await readJson(Buffer.from(text), limits)).value;

/** Texts of which some are longer than what is parsed at once. */
const longText = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom(1, 3000, 20_000))
  .map(([text, times]) => text.repeat(times));

const { value } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), longText),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .tuple(fc.array(tie('leaf'), { maxLength: 3 }), fc.constantFrom(1, 9000))
      .map(([items, times]) =>
        Array.from({ length: items.length === 0 ? 0 : times }, (_, index) => items[index % items.length]).filter(
          (item) => typeof item !== 'string' || item.length < 100,
        ),
      ),
    fc.dictionary(fc.oneof(fc.string(), longText, fc.constant('__proto__')), tie('value'), { maxKeys: 5 }),
  ),
}));

describe('JSON texts of any size', () => {
  it.each([
    ['a text', () => ({ text: 'x'.repeat(LENGTH) })],
    ['a list', () => Array.from({ length: LENGTH / 8 }, () => 'xxxxx')],
    ['an object', () => Object.fromEntries(Array.from({ length: LENGTH / 16 }, (_, index) => [`k${index}`, 'xxxxx']))],
    ['lists in a list', () => Array.from({ length: 16 }, () => Array.from({ length: LENGTH / 128 }, () => 'xxxxx'))],
  ])('OPS-39 let others in while %s is scanned, and while it is built', async (_, make) => {
    // Time flies, so that every place where the work can be left is taken.
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 1000));
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    onTestFinished(() => clearImmediate(counting));
    onTestFinished(() => clock.mockRestore());
    const text = JSON.stringify(make());
    await read(text);
    // A turn for every 64 KiB that are scanned, and one for about every 32 KiB that are built.
    expect(turns).toBeGreaterThan((text.length / 65_536) * 2.5);
  });

  it('OPS-39 BODY-2 are what JSON.parse makes of them, however they are cut', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(undefined, 1, '\t'), async (each, indent) => {
        const text = JSON.stringify(each, undefined, indent);
        expect(await read(text)).toEqual(JSON.parse(text.toWellFormed()));
      }),
      { numRuns: 150 },
    );
  });

  const filler = `"${'x'.repeat(40_000)}"`;
  const zeros = '0,'.repeat(30_000);

  it.each([
    `[${filler}${filler}]`,
    `[${filler},]`,
    `[,${filler}]`,
    `[${filler},,1]`,
    `[${zeros}]`,
    `[${zeros},0]`,
    `[${zeros}0`,
    `[${zeros}0}`,
    `[${zeros}0]]`,
    `[${zeros}0] 1`,
    `[1 ${filler}]`,
    `{"a":${filler} "b":1}`,
    `{"a" ${filler}}`,
    `{${filler}}`,
    `{${filler}:1,}`,
    `{"a":${filler},}`,
    `{"a":1,"b" [${zeros}0]}`,
    `{"a":[${zeros}0]:1}`,
    `{"a":[${zeros}0] 1}`,
    `{1:[${zeros}0]}`,
    `["${'x'.repeat(40_000)}`,
    `["${'x'.repeat(40_000)}\\`,
    `["${'x'.repeat(40_000)}\\q"]`,
    `["${'x'.repeat(40_000)}\n"]`,
  ])('BODY-2 that are no JSON are refused', async (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    await expect(read(text)).rejects.toThrow(SyntaxError);
  });

  it('OPS-39 half characters become replacement characters, whole ones stay, wherever the text is cut', async () => {
    const text = `["${'\\ud83d\\ude00'.repeat(10_000)}","x\\ud83d${'y'.repeat(40_000)}","${'é😀'.repeat(9000)}"]`;
    expect(await read(text)).toEqual(['😀'.repeat(10_000), `x\ufffd${'y'.repeat(40_000)}`, 'é😀'.repeat(9000)]);
  });

  it('OPS-34a values are counted, keys are not', () => {
    const count = (text: string) => {
      const outline = new JsonOutline(Buffer.from(text), { ...LIMITS, longValue: 1000 });
      for (const _ of outline.scan());
      return outline.values;
    };
    expect(count('{}')).toBe(1);
    expect(count('[ [ ] , { } ]')).toBe(3);
    expect(count('{"a":1,"b":[true,null,"x,[y"],"c,":{"d":{}}}')).toBe(8);
    fc.assert(
      fc.property(fc.jsonValue(), (each) => {
        const valuesOf = (item: unknown): number =>
          typeof item === 'object' && item !== null
            ? Object.values(item).reduce<number>((sum, inner) => sum + valuesOf(inner), 1)
            : 1;
        expect(count(JSON.stringify(each))).toBe(valuesOf(each));
      }),
    );
  });

  it('OPS-34a too many values and too many levels are told before anything is built', async () => {
    await expect(read('[1,2,3]', { maxValues: 4, maxLevels: 1, maxKeys: 9 })).resolves.toEqual([1, 2, 3]);
    await expect(read('[1,2,3]', { maxValues: 3, maxLevels: 1, maxKeys: 9 })).rejects.toMatchObject({
      limit: 'values',
    });
    await expect(
      read('{"a":1,"b":[[[', { maxValues: 9, maxLevels: 3, maxKeys: 9, keys: new Set(['b']) }),
    ).rejects.toMatchObject({
      limit: 'levels',
      key: 'b',
    });
    await expect(read('['.repeat(1_000_000))).rejects.toThrow(JsonLimitError);
  });

  it('OPS-39 how deep all lists stand together is told before anything is built', async () => {
    const chain = '['.repeat(900) + ']'.repeat(900);
    await expect(read(`{"a":[${`${chain},`.repeat(49)}1]}`)).resolves.toBeTypeOf('object');
    await expect(read(`{"a":[${`${chain},`.repeat(50)}`, { ...LIMITS, keys: new Set(['a']) })).rejects.toMatchObject({
      limit: 'levels',
      key: 'a',
    });
  });

  it('OPS-39 an object of too many keys is told before anything is built, with the key it stands under', async () => {
    const limits = { ...LIMITS, maxKeys: 3, keys: new Set(['a']) };
    await expect(read('{"a":{"x":[1,2,3,4],"y":{},"z":","},"b":[1,2,3,4]}', limits)).resolves.toBeTypeOf('object');
    await expect(read('{"a":[{"x":1,"x":[2],"y":3,"z":', limits)).rejects.toMatchObject({ limit: 'keys', key: 'a' });
    await expect(read('{"b":1,"c":2,"d":3,"a":', limits)).rejects.toMatchObject({ limit: 'keys', key: undefined });
  });

  it('OPS-39 a number of any number of digits that matter is read, and one of millions is not', async () => {
    await expect(read(`[1,0.${'3'.repeat(60_000)}]`)).resolves.toEqual([1, 1 / 3]);
    await expect(read(`[1,${'9'.repeat(100_000)}]`)).rejects.toThrow('A number is too long.');
  });
});
