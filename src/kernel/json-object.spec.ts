import { describe, expect, it } from 'vitest';
import { isCompactDocument } from './json-object.js';

describe('isCompactDocument', () => {
  it.each(['{}', '[1,"a"]', '{"a":[null]}'])('tells %j', (text) => {
    expect(isCompactDocument(text)).toBe(true);
  });

  it.each([undefined, 1, '', 'a', '1', '[1, 2]', '{"a"', String.raw`["\u0000"]`])(
    'does not take %j for one',
    (text) => {
      expect(isCompactDocument(text)).toBe(false);
    },
  );

  it('OPS-39 does not read a text of which the reading takes long', () => {
    const list = (items: number) => JSON.stringify(Array(items).fill('x'.repeat(97)));
    expect(isCompactDocument(list(2_600))).toBe(true);
    expect(isCompactDocument(list(2_700))).toBe(false);
  });
});
