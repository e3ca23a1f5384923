import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedList } from '../counted-list.spec-support.js';
import { checkJsonValue } from './json-value.js';

describe('a value before it is written as JSON', () => {
  it('COL-71 is never taken for larger than it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const maxSize = Buffer.byteLength(JSON.stringify(value));
        expect(checkJsonValue(value, { maxSize, maxDepth: 1000 })).toBeUndefined();
      }),
    );
  });

  it('OPS-39 is left where it is too large', () => {
    const { list, asked } = countedList(Array<number>(1_000_000).fill(0));
    expect(checkJsonValue(list, { maxSize: 1000, maxDepth: 1000 })).toBe('size');
    expect(asked()).toBeLessThan(1000);
    expect(checkJsonValue('x'.repeat(1001), { maxSize: 1000, maxDepth: 1000 })).toBe('size');
  });

  it('OPS-39 has 500,000 lists and objects at most', () => {
    const lists = (count: number) => Array.from({ length: count }, () => []);
    expect(checkJsonValue(lists(499_999), { maxSize: Infinity, maxDepth: 1000 })).toBeUndefined();
    expect(checkJsonValue({ a: [lists(499_998)] }, { maxSize: Infinity, maxDepth: 1000 })).toBe('invalid');
  });

  it('COL-71 may be deep, and may contain itself', () => {
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const circle: Record<string, unknown> = {};
    circle['left'] = circle['right'] = circle;
    for (const value of [deep, circle]) {
      expect(checkJsonValue(value, { maxSize: Infinity, maxDepth: 1000 })).toBe('invalid');
    }
  });

  it.each([NaN, Infinity, [[-Infinity]], { a: { b: NaN } }])('COL-71 has only numbers that JSON can say', (value) => {
    expect(checkJsonValue(value, { maxSize: 1000, maxDepth: 1000 })).toBe('invalid');
  });
});
