import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../decimal-text.js';
import { castToList, castToNumber, castToText, listOfText, textOfColumn } from './value-casts.js';

describe('casts', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [12, '12'],
    [-3.4, '-3.4'],
    [1e21, '1000000000000000000000'],
    [-1.5e21, '-1500000000000000000000'],
    [1.7976931348623157e308, `17976931348623157${'0'.repeat(292)}`],
    [1e-7, '0.0000001'],
    [-1.25e-7, '-0.000000125'],
    [123456789.125, '123456789.125'],
    [NaN, ''],
    [Infinity, ''],
  ])('COL-54 the number %s is written %s', (number, text) => {
    expect(decimalText(number)).toBe(text);
  });

  it('COL-54 BODY-5 every number is written without exponent and reads back as itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = decimalText(number);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(number + 0);
      }),
    );
  });

  it.each([
    ['text', 'text'],
    ['half \ud800', 'half \ufffd'],
    ['whole \ud83d\ude00', 'whole \ud83d\ude00'],
    [true, 'true'],
    [false, 'false'],
    [10n, '10'],
    [1.5, '1.5'],
    [null, ''],
    [undefined, ''],
    [{}, ''],
    [['a'], ''],
  ])('COL-54 %s as a text is %j', (raw, text) => {
    expect(castToText(raw)).toBe(text);
  });

  it.each<[unknown, string[]]>([
    [null, []],
    [undefined, []],
    ['', []],
    ['a', ['a']],
    [5, ['5']],
    [true, ['true']],
    [
      ['a', 'b', 'a', '', null, 7, false],
      ['a', 'b', '7', 'false'],
    ],
    [['a', ['b']], []],
    [['a', {}], []],
    ['["a","b","a",""]', ['a', 'b']],
    [' ["a"]', ['a']],
    ['[]', []],
    ['["a",1]', ['["a",1]']],
    ['[1]', ['[1]']],
    ['["a"', ['["a"']],
    ['{"a":1}', ['{"a":1}']],
    [{ a: 1 }, []],
    [{ length: 1, 0: 'a' }, []],
  ])('COL-54 %j as a list is %j', (raw, list) => {
    expect(castToList(raw)).toEqual(list);
  });

  it('COL-54 a list that was cast is cast to itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.string()), fc.string()), (raw) => {
        const list = castToList(raw);
        expect(castToList(list)).toEqual(list);
        expect(castToList(JSON.stringify(list))).toEqual(list);
        expect(new Set(list).size).toBe(list.length);
        expect(list).not.toContain('');
      }),
    );
  });

  it.each<[unknown, number]>([
    [5, 5],
    [-0, 0],
    [true, 1],
    [false, 0],
    ['12', 12],
    ['-1.5', -1.5],
    ['+.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E-2', 0.01],
    ['-0', 0],
    ['', 0],
    [' 1', 0],
    ['1 ', 0],
    ['1,5', 0],
    ['0x10', 0],
    ['1_000', 0],
    ['one', 0],
    ['nano', 0],
    [null, 0],
    [undefined, 0],
    [[5], 0],
    [{}, 0],
    ['NaN', NaN],
    ['nan', NaN],
    ['Inf', Infinity],
    ['-infinity', -Infinity],
    ['+INF', Infinity],
    ['1e999', Infinity],
  ])('COL-64 %j as a number is %s', (raw, number) => {
    expect(castToNumber(raw)).toBe(number);
  });

  it('COL-53 columns are read as text whatever the driver hands back', () => {
    expect(textOfColumn('a')).toBe('a');
    expect(textOfColumn(null)).toBe('');
    expect(textOfColumn(5)).toBe('5');
    expect(textOfColumn(5n)).toBe('5');
    expect(textOfColumn(Buffer.from('ä'))).toBe('ä');
  });

  it.each(['1'.repeat(2001), `${'1'.repeat(30_000_000)}x`, `${' '.repeat(2000)}1`])(
    'OPS-39 a text that no number is written as is not gone through',
    (text) => {
      expect(castToNumber(text)).toBe(0);
    },
  );

  it('COL-64 numbers may have many digits', () => {
    expect(castToNumber(`${'0'.repeat(1000)}7.${'0'.repeat(900)}`)).toBe(7);
    expect(castToNumber(`0.${'0'.repeat(323)}49406564584124654`)).toBe(5e-324);
    expect(castToNumber('9'.repeat(400))).toBe(Infinity);
  });

  it('OPS-39 a text of more than 1 MiB is one item, and a stored one is read whatever its size', () => {
    const text = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => `id${index}`));
    expect(castToList(text)).toEqual([text]);
    expect(listOfText(text)).toHaveLength(200_000);
  });
});
