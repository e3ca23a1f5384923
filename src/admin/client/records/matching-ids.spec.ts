import { describe, expect, it } from 'vitest';
import { filterAfter, matchingIds } from './matching-ids.js';

async function collect(all: readonly string[], size: number) {
  const asked: string[] = [];
  const found: string[] = [];
  const page = (after: string) => {
    asked.push(after);
    return Promise.resolve(all.filter((id) => id > after).slice(0, size));
  };
  for await (const ids of matchingIds(page, size)) found.push(...ids);
  return { asked, found };
}

describe('matchingIds', () => {
  it.each([
    [[], ['']],
    [['a'], ['']],
    [
      ['a', 'b'],
      ['', 'b'],
    ],
    [
      ['a', 'b', 'c'],
      ['', 'b'],
    ],
  ])('finds all of %j', async (all, asked) => {
    expect(await collect(all, 2)).toEqual({ found: all, asked });
  });
});

describe('filterAfter', () => {
  it.each([
    ['', '', ''],
    ['', 'a', 'id > "a"'],
    ['n = 1 // one', 'a"b', '(n = 1 // one\n) && id > "a\\"b"'],
    ['n = 1', '', '(n = 1\n)'],
  ])('%j after %j', (filter, last, whole) => {
    expect(filterAfter(filter, last)).toBe(whole);
  });
});
