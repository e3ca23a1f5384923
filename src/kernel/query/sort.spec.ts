import { describe, expect, it } from 'vitest';
import { FilterError } from '../filter/filter.error.js';
import { invalidQuery } from './invalid-query.js';
import { parseSort } from './sort.js';

function failure(text: string): FilterError {
  try {
    parseSort(text);
  } catch (error) {
    expect(error).toBeInstanceOf(FilterError);
    return error as FilterError;
  }
  throw new Error(`expected a FilterError for ${text}`);
}

describe('parseSort', () => {
  it.each<[string, number]>([
    [' ', 1],
    [',', 0],
    ['a,', 2],
    ['a,,b', 2],
    [',a', 0],
    ['-', 1],
    ['--a', 1],
    ['+-a', 1],
    ['- a', 1],
    ['a b', 0],
    ['a-', 0],
    ['1', 0],
    ['-1', 1],
    ["'a'", 0],
    ['"a"', 0],
    ['a.', 0],
    ['a:', 0],
    ['@', 0],
    ['a desc', 0],
    ['a // b', 0],
    ['f(a)', 0],
    ['a;b', 0],
    ['ä', 0],
    ['a,{:b}', 2],
    ['@now', 0],
    ['a,-@year', 3],
    ['true', 0],
    ['-null', 1],
  ])('SORT-1 refuses %j and names the place', (text, position) => {
    expect(failure(text).span.start).toBe(position);
  });

  it('takes the empty text as no sort', () => {
    expect(parseSort('')).toEqual([]);
  });

  it('SORT-1 reads signs, paths and modifiers, with blanks around keys', () => {
    const text = 'a,-b.c , +d_via_e.f:lower,\n j.0.k ,-tags:length,@request.auth.name,@collection.x.y';
    const keys = parseSort(text);
    expect(keys.map((key) => key.kind === 'path' && [key.path, key.descending])).toEqual([
      ['a', false],
      ['b.c', true],
      ['d_via_e.f:lower', false],
      ['j.0.k', false],
      ['tags:length', true],
      ['@request.auth.name', false],
      ['@collection.x.y', false],
    ]);
    for (const key of keys) expect(key).toMatchObject({ path: text.slice(key.span.start, key.span.end) });
  });

  it('SORT-2 knows @random, whatever its direction, and @rowid', () => {
    expect(parseSort('@random,-@random,@rowid,-@rowid')).toEqual([
      { kind: 'random', span: { start: 0, end: 7 } },
      { kind: 'random', span: { start: 9, end: 16 } },
      { kind: 'rowid', descending: false, span: { start: 17, end: 23 } },
      { kind: 'rowid', descending: true, span: { start: 25, end: 31 } },
    ]);
    expect(parseSort('rowid')).toMatchObject([{ kind: 'path', path: 'rowid' }]);
  });

  it('COL-85 takes 8 keys and refuses the 9th', () => {
    expect(parseSort('a,b,c,d,e,f,g,h')).toHaveLength(8);
    expect(failure('a,b,c,d,e,f,g,h,i').span).toEqual({ start: 16, end: 17 });
  });

  it('COL-85 takes a key of 255 bytes and refuses a longer one', () => {
    expect(parseSort(` -${'a'.repeat(254)} `)).toHaveLength(1);
    expect(parseSort('a'.repeat(255))).toHaveLength(1);
    failure(`-${'a'.repeat(255)}`);
    failure('a'.repeat(256));
  });
});

describe('invalidQuery', () => {
  it('FLT-5 answers 400 with the place and no data', () => {
    expect(invalidQuery('sort', failure('a,b c')).toBody()).toEqual({
      code: 400,
      message: 'Invalid sort: A sort key must be a field (at position 2).',
      data: {},
    });
    expect(invalidQuery('filter', failure('a,b c')).message).toMatch(/^Invalid filter: /);
  });
});
