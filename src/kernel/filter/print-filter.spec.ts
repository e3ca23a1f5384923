import { describe, expect, it } from 'vitest';
import { parseFilter } from './parse-filter.js';
import { printFilter } from './print-filter.js';

describe('printFilter', () => {
  it.each<[string, string]>([
    ["a='b'", 'a = "b"'],
    ['a ?= 1.50', 'a ?= 1.50'],
    ['a=-1.50E-07', 'a = -1.50E-07'],
    ["a = '\"\\\\n\t\u0001'", 'a = "\\"\\\\\\\\n\\t\\u0001"'],
    ['f( 1 , ) = g()', 'f(1) = g()'],
    ['(a=1 && b=2) || (c=3)', 'a = 1 && b = 2 || c = 3'],
    ['(a=1||b=2)&&c=3', '(a = 1 || b = 2) && c = 3'],
    ['((a=1||(b=2&&(c=3||d=4))))&&e=5', '(a = 1 || b = 2 && (c = 3 || d = 4)) && e = 5'],
  ])('prints %j as %j', (text, printed) => {
    expect(printFilter(parseFilter(text))).toBe(printed);
    expect(printFilter(parseFilter(printed))).toBe(printed);
  });
});
