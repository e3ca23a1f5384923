import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooComplex, MAX_JSON_CONTAINERS, MAX_JSON_KEYS, MAX_JSON_NESTING } from './json-complexity.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('isTooComplex', () => {
  it.each([
    [nested(3), false],
    [nested(4), true],
    ['{"a":{"b":{"c":1}}}', false],
    ['{"a":{"b":[{"c":1}]}}', true],
    ['[[[]],[[]],[[]],[[]]]', false],
    [JSON.stringify(['[[[[[[', '"[[[[[[', '\\', '\\"[[[[', '{{{{{{']), false],
    [JSON.stringify({ '[[[[[[\\': [[[1]]] }), true],
  ])('BODY-2 counts what stands in each other in %s', (json, deeper) => {
    expect(isTooComplex(json, 3)).toBe(deeper);
  });

  it('OPS-39 counts the keys of each object, however it is written, and no items of lists', () => {
    const entries = (count: number) => Array.from({ length: count }, (_, index) => [`k,${index}`, [index, index]]);
    const object = (count: number) => Object.fromEntries(entries(count)) as Record<string, unknown>;
    for (const indent of [undefined, 1]) {
      const text = (value: unknown) => JSON.stringify(value, undefined, indent);
      expect(isTooComplex(text(object(MAX_JSON_KEYS)))).toBe(false);
      expect(isTooComplex(text([1, { a: object(MAX_JSON_KEYS), b: object(3) }]))).toBe(false);
      expect(isTooComplex(text(object(MAX_JSON_KEYS + 1)))).toBe(true);
      expect(isTooComplex(text([1, { a: object(MAX_JSON_KEYS + 1) }]))).toBe(true);
    }
    expect(isTooComplex(`[${'0,'.repeat(2 * MAX_JSON_KEYS)}0]`)).toBe(false);
  });

  it('OPS-39 adds up how deep all lists and objects stand', () => {
    const chains = (count: number, levels: number) => `[${`${nested(levels)},`.repeat(count)}0]`;
    const nesting = (levels: number) => ((levels + 2) * (levels + 1)) / 2 - 1;
    const most = Math.floor((MAX_JSON_NESTING - 1) / nesting(500));
    expect(isTooComplex(chains(most, 500))).toBe(false);
    expect(isTooComplex(chains(most + 1, 500))).toBe(true);
    // A megabyte of lists of lists is usual.
    expect(isTooComplex(chains(100_000, 4))).toBe(false);
  });

  it('OPS-39 counts lists and objects, and not what stands in them', () => {
    const lists = (count: number) => `[${'[0,1],'.repeat(count - 2)}{"a":"[]"}]`;
    expect(isTooComplex(lists(MAX_JSON_CONTAINERS))).toBe(false);
    expect(isTooComplex(lists(MAX_JSON_CONTAINERS + 1))).toBe(true);
  });

  it('BODY-2 agrees with a walk through the value', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, levels) => {
        expect(isTooComplex(JSON.stringify(value), levels)).toBe(depthOf(value) > levels);
      }),
    );
  });
});
