import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDateTime, parseDateTime, parseIsoDateTime } from './date-time.js';

const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
const moments = fc.integer({ min: FIRST, max: LAST });

function read(text: string): string | undefined {
  const moment = parseDateTime(text);
  return moment === undefined ? undefined : formatDateTime(moment);
}

describe('dates', () => {
  it('CONV-3 are written in UTC with a blank, three digits and a Z', () => {
    expect(formatDateTime(Date.UTC(2025, 0, 31, 9, 5, 7, 42))).toBe('2025-01-31 09:05:07.042Z');
  });

  it('COL-68 what is written reads back as the same moment', () => {
    fc.assert(fc.property(moments, (moment) => parseDateTime(formatDateTime(moment)) === moment));
  });

  it('COL-68 the order of texts is the order of moments', () => {
    fc.assert(
      fc.property(moments, moments, (a, b) => Math.sign(a - b) === compare(formatDateTime(a), formatDateTime(b))),
    );
  });

  it.each([
    ['2022-01-01 10:00:00.123Z', '2022-01-01 10:00:00.123Z'],
    ['2022-01-01', '2022-01-01 00:00:00.000Z'],
    ['2022-01-01 10:00:00', '2022-01-01 10:00:00.000Z'],
    ['2022-01-01T10:00', '2022-01-01 10:00:00.000Z'],
    ['2022-01-01 10:00Z', '2022-01-01 10:00:00.000Z'],
    ['2022-01-01T10:00+0200', '2022-01-01 08:00:00.000Z'],
    [`2022-01-01T10:00:00.${'1'.repeat(80)}`, '2022-01-01 10:00:00.111Z'],
    ['2022-01-01T10:00:00', '2022-01-01 10:00:00.000Z'],
    ['2022-01-01T10:00:00Z', '2022-01-01 10:00:00.000Z'],
    ['2022-01-01T10:00:00.1Z', '2022-01-01 10:00:00.100Z'],
    ['2022-01-01 10:00:00.123456789Z', '2022-01-01 10:00:00.123Z'],
    ['2022-01-01T10:00:00+02:00', '2022-01-01 08:00:00.000Z'],
    ['2022-01-01T10:00:00-0230', '2022-01-01 12:30:00.000Z'],
    ['2022-01-01 10:00:00 +0200', '2022-01-01 08:00:00.000Z'],
    ['2022-01-01 00:30:00+01:00', '2021-12-31 23:30:00.000Z'],
    ['Sat, 01 Jan 2022 10:00:00 GMT', '2022-01-01 10:00:00.000Z'],
    ['Sat, 01 Jan 2022 10:00:00 +0100', '2022-01-01 09:00:00.000Z'],
    ['Sat, 1 Jan 2022 10:00:00 UTC', '2022-01-01 10:00:00.000Z'],
    ['01 Jan 22 10:00 EST', '2022-01-01 15:00:00.000Z'],
    ['01 Jul 22 10:00 PDT', '2022-07-01 17:00:00.000Z'],
    ['01 Jan 22 10:00 -0700', '2022-01-01 17:00:00.000Z'],
    ['01 Jan 70 10:00 GMT', '1970-01-01 10:00:00.000Z'],
    ['Saturday, 01-Jan-22 10:00:00 GMT', '2022-01-01 10:00:00.000Z'],
    ['Sat Jan  1 10:00:00 2022', '2022-01-01 10:00:00.000Z'],
    ['Sat Jan 15 10:00:00 2022', '2022-01-15 10:00:00.000Z'],
    ['2024-02-29', '2024-02-29 00:00:00.000Z'],
    ['0099-05-06', '0099-05-06 00:00:00.000Z'],
  ])('COL-68 reads %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    'now',
    '2022',
    '2022-01',
    '2022-1-1',
    '2022-02-30',
    '2023-02-29',
    '2022-13-01',
    '2022-01-01 10',
    '2022-01-01T10:00.5',
    `2022-01-01T10:00:00.${'1'.repeat(100)}`,
    '2022-01-01 24:00:00',
    '2022-01-01 10:60:00',
    '2022-01-01 10:00:60',
    '2022-01-01 10:00:00 ',
    ' 2022-01-01 10:00:00',
    '2022-01-01 10:00:00+25:00',
    '2022-01-01 10:00:00+02:60',
    '2022-01-01 10:00:00 CET',
    '9999-12-31 23:59:59.999-01:00',
    '0000-01-01 00:00:00+01:00',
    '10000-01-01 00:00:00Z',
    'Sat, 01 Foo 2022 10:00:00 GMT',
    'Sat, 30 Feb 2022 10:00:00 GMT',
    '1640995200',
    '1640995200000',
  ])('COL-68 takes %j for no date', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('COL-68 reads every moment in each ISO form and zone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: FIRST + 86_400_000, max: LAST - 86_400_000 }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        fc.constantFrom('T', ' '),
        fc.constantFrom(':', ''),
        (moment, offset, separator, colon) => {
          const local = new Date(moment + offset * 60_000).toISOString().slice(0, -1).replace('T', separator);
          const minutes = Math.abs(offset);
          const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${colon}${two(minutes % 60)}`;
          return parseDateTime(local + zone) === moment;
        },
      ),
    );
  });

  it('COL-68 never throws and never leaves the format, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d:TZ .+-]{0,30}$/)), (text) => {
        const written = read(text);
        expect(written ?? '0000-01-01 00:00:00.000Z').toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });

  it('CMP-4 knows the ISO forms apart from the others', () => {
    expect(parseIsoDateTime('2022-01-01T10:00:00Z')).toBe(Date.UTC(2022, 0, 1, 10));
    expect(parseIsoDateTime('Sat, 01 Jan 2022 10:00:00 GMT')).toBeUndefined();
  });
});

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
