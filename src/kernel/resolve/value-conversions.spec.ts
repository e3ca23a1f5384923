import { describe, expect, it } from 'vitest';
import { toMoment, toNumber, toPattern, toText } from './value-conversions.js';

describe('values from outside', () => {
  it.each([
    ['abc', '%abc%'],
    ['ab_c', '%ab\\_c%'],
    ['ab%c', 'ab%c'],
    ['%ab_c', '%ab_c'],
    ['ab\\%c', '%ab\\%c%'],
    ['ab\\c', '%ab\\\\c%'],
    ['%ab\\%c', '%ab\\%c'],
    ['ab\\c%', 'ab\\c%'],
    ['ab\\\\%c', 'ab\\\\%c'],
    ['ab\\', '%ab\\\\%'],
    ['%ab\\', '%ab\\\\'],
    ['%ab\\\\', '%ab\\\\'],
    ['ab\\_c\\\\', '%ab\\_c\\\\%'],
    ['', '%%'],
    ['%', '%'],
    ['ü\u{1F600}', '%ü\u{1F600}%'],
  ])('CMP-8 %s is the pattern %s', (written, pattern) => {
    expect(toPattern(written)).toBe(pattern);
  });

  it('CMP-8 a number is matched by its text, nothing by nothing', () => {
    expect(toPattern(5)).toBe('%5%');
    expect(toPattern(null)).toBeNull();
    expect(toPattern('é'.repeat(24_999))).toBe(`%${'é'.repeat(24_999)}%`);
    expect(toPattern('é'.repeat(25_000))).toBeNull();
    expect(toPattern('_'.repeat(25_000))).toBeNull();
  });

  it.each([
    ['2025-01-31T10:00:00+01:00', '2025-01-31 09:00:00.000Z'],
    ['2025-01-31T10:00:00+0100', '2025-01-31 09:00:00.000Z'],
    ['2025-01-31T10:00:00', '2025-01-31 10:00:00.000Z'],
    ['2025-01-31T10:00:00.1239Z', '2025-01-31 10:00:00.123Z'],
    ['2025-01-31 10:00:00Z', '2025-01-31 10:00:00.000Z'],
    ['2025-01-31 10:00:00-05:30', '2025-01-31 15:30:00.000Z'],
  ])('CMP-4 %s is the moment %s', (written, moment) => {
    expect(toMoment(written)).toBe(moment);
  });

  it.each(['2025', '2025-01-31', '2025-01-31 10:00:00', '2025-02-30T10:00:00Z', '2025-01-31T', 'T10:00:00Z', ''])(
    'CMP-4 %s is compared as it is',
    (written) => {
      expect(toMoment(written)).toBe(written);
    },
  );

  it('CMP-1 numbers and their texts', () => {
    expect(['5', '-1.50', '+.5', '1e3', '5.'].map(toNumber)).toEqual([5, -1.5, 0.5, 1000, 5]);
    expect(['', 'a', '5a', '0x10', 'Infinity', '1 2', '.', '--1'].map(toNumber)).toEqual([
      '',
      'a',
      '5a',
      '0x10',
      'Infinity',
      '1 2',
      '.',
      '--1',
    ]);
    expect([5, 5.5, -0, 1e21, 'x', null].map(toText)).toEqual(['5', '5.5', '0', '1000000000000000000000', 'x', null]);
  });
});
