import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';

describe('lineDiff', () => {
  it.each([
    ['', '', []],
    ['a', 'a', ['a|a']],
    ['', 'a\nb', ['|a', '|b']],
    ['a\nb', '', ['a|', 'b|']],
    ['a\nb\nc', 'a\nx\nc', ['a|a', 'b|', '|x', 'c|c']],
    ['a\n\nb', 'a\nb', ['a|a', '|', 'b|b']],
  ])('%j beside %j', (before, after, rows) => {
    expect(lineDiff(before, after).map(({ left, right }) => `${left ?? ''}|${right ?? ''}`)).toEqual(rows);
  });
});
