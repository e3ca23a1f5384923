import { describe, expect, it } from 'vitest';
import { FilterCache } from './filter-cache.js';
import { FilterError } from './filter.error.js';
import { parseFilter } from './parse-filter.js';

describe('FilterCache', () => {
  it('gives the identical tree for the same text', () => {
    const cache = new FilterCache();
    const tree = cache.parse('a = 1');
    expect(tree).toEqual(parseFilter('a = 1'));
    expect(cache.parse('a = 1')).toBe(tree);
    expect(cache.parse('a = 1', { maxBytes: 5 })).toBe(tree);
    expect(new FilterCache().parse('a = 1')).not.toBe(tree);
  });

  it('FLT-6 keeps to the byte limit also for a text it knows', () => {
    const cache = new FilterCache();
    cache.parse('a = 1');
    expect(() => cache.parse('a = 1', { maxBytes: 4 })).toThrow(FilterError);
  });

  it('throws each time for a text that does not parse', () => {
    const cache = new FilterCache();
    for (let time = 0; time < 2; time++) expect(() => cache.parse('a =')).toThrow(FilterError);
  });

  it('forgets the texts used longest ago, by number and by size', () => {
    const cache = new FilterCache();
    const first = cache.parse('a = 1');
    for (let number = 0; number < 1000; number++) cache.parse(`b = ${number}`);
    expect(cache.parse('a = 1')).not.toBe(first);

    const long = `a = "${'x'.repeat(100_000)}"`;
    const tree = cache.parse(long);
    expect(cache.parse(long)).toBe(tree);
    for (let number = 0; number < 3; number++) cache.parse(`b${number} = "${'x'.repeat(100_000)}"`);
    expect(cache.parse(long)).not.toBe(tree);
  });

  it('does not keep a text larger than all it may keep', () => {
    const cache = new FilterCache();
    const small = cache.parse('a = 1');
    const huge = `a = "${'x'.repeat(1_000_000)}"`;
    expect(cache.parse(huge)).not.toBe(cache.parse(huge));
    expect(cache.parse('a = 1')).toBe(small);
  });
});
