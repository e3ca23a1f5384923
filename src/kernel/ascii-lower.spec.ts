import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiLower } from './ascii-lower.js';

describe('asciiLower', () => {
  it.each([
    ['', ''],
    ['aBZ[@`{ÄÉ😀\u212a', 'abz[@`{ÄÉ😀\u212a'],
  ])('of %j changes the letters of ASCII alone', (text, lower) => {
    expect(asciiLower(text)).toBe(lower);
    expect(asciiLower(text.repeat(1_000))).toBe(lower.repeat(1_000));
  });

  it('OPS-39 gives the same for long texts as for short ones', () => {
    const text = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', 'A', 'İ')) });
    fc.assert(
      fc.property(text, (short) => {
        const times = Math.ceil(10_000 / Math.max(short.length, 1));
        expect(asciiLower(short.repeat(times))).toBe(asciiLower(short).repeat(times));
      }),
    );
  });
});
