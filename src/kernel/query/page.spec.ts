import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../errors/bad-request.error.js';
import { pageOffset, parsePage, toListPage, toPage } from './page.js';

describe('parsePage', () => {
  it.each([
    'x',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '--1',
    '+',
    '-',
    'NaN',
    'Infinity',
    '١',
    '1_000',
    'null',
    '1\n',
  ])('COL-84 refuses %j as a page or perPage', (text) => {
    expect(() => parsePage({ page: text })).toThrow(BadRequestError);
    expect(() => parsePage({ perPage: text })).toThrow(BadRequestError);
  });

  it.each(['yes', 'no', 'TrUe', ' 1', '2', '-1', 'on', 'null'])('COL-84 refuses %j as skipTotal', (text) => {
    expect(() => parsePage({ skipTotal: text })).toThrow(BadRequestError);
  });

  it.each<[string | undefined, number]>([
    [undefined, 1],
    ['', 1],
    ['0', 1],
    ['-5', 1],
    [`-${'9'.repeat(400)}`, 1],
    ['1', 1],
    ['+2', 2],
    ['007', 7],
    ['9007199254740991', 9007199254740991],
  ])('COL-84 reads page %j as %d', (page, expected) => {
    expect(parsePage({ page }).page).toBe(expected);
  });

  it('refuses a page beyond 2^53-1, where numbers are no longer exact', () => {
    expect(() => parsePage({ page: '9007199254740992' })).toThrow(BadRequestError);
    expect(() => parsePage({ page: '9'.repeat(400) })).toThrow(BadRequestError);
  });

  it.each<[string | undefined, number]>([
    [undefined, 30],
    ['', 30],
    ['0', 30],
    ['-1', 30],
    ['1', 1],
    ['1000', 1000],
    ['1001', 1000],
    ['9'.repeat(400), 1000],
  ])('COL-84 reads perPage %j as %d', (perPage, expected) => {
    expect(parsePage({ perPage }).perPage).toBe(expected);
  });

  it('COL-84 reads the words for true and false', () => {
    for (const skipTotal of ['1', 't', 'T', 'true', 'TRUE', 'True'])
      expect(parsePage({ skipTotal }).skipTotal).toBe(true);
    for (const skipTotal of ['0', 'f', 'F', 'false', 'FALSE', 'False', '', undefined])
      expect(parsePage({ skipTotal }).skipTotal).toBe(false);
  });

  it('answers 400 without data', () => {
    expect.assertions(1);
    try {
      parsePage({ page: 'x' });
    } catch (error) {
      expect((error as BadRequestError).toBody()).toEqual({ code: 400, message: 'Invalid page.', data: {} });
    }
  });
});

describe('toPage', () => {
  it('brings numbers from code into the same limits', () => {
    expect(toPage({})).toEqual({ page: 1, perPage: 30, skipTotal: false });
    expect(toPage({ page: -1, perPage: 5000, skipTotal: true })).toEqual({ page: 1, perPage: 1000, skipTotal: true });
    expect(() => toPage({ page: 1.5 })).toThrow(BadRequestError);
    expect(() => toPage({ perPage: NaN })).toThrow(BadRequestError);
  });
});

describe('pageOffset', () => {
  it('counts the items before the page, and stays an exact integer', () => {
    expect(pageOffset(toPage({}))).toBe(0);
    expect(pageOffset(toPage({ page: 3, perPage: 20 }))).toBe(40);
    expect(pageOffset(toPage({ page: Number.MAX_SAFE_INTEGER, perPage: 1000 }))).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('toListPage', () => {
  it('LIST-1 COL-83 tells the page used and rounds the number of pages up', () => {
    expect(toListPage(toPage({ perPage: 5 }), ['a'], 11)).toEqual({
      items: ['a'],
      page: 1,
      perPage: 5,
      totalItems: 11,
      totalPages: 3,
    });
    expect(toListPage(toPage({ perPage: 5 }), [], 10).totalPages).toBe(2);
    expect(toListPage(toPage({}), [], 0)).toEqual({ items: [], page: 1, perPage: 30, totalItems: 0, totalPages: 0 });
  });

  it('LIST-1 COL-84 has -1 for totals that were not counted', () => {
    expect(toListPage(toPage({ skipTotal: true }), ['a'])).toMatchObject({ totalItems: -1, totalPages: -1 });
  });
});
