import { expect, it } from 'vitest';
import { printableLine, printableText } from './printable-text.js';

it.each([
  ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
  ['one\rtwo\u0008', 'one\\u000dtwo\\u0008'],
  ['\u009b31m \u007f', '\\u009b31m \\u007f'],
  ['a\u202eb\u2066c\u200fd\u061ce', 'a\\u202eb\\u2066c\\u200fd\\u061ce'],
  ['two\nlines\tand a tab, žluťoučký 🐎', 'two\nlines\tand a tab, žluťoučký 🐎'],
])('%j is printed as %j', (text, printed) => {
  expect(printableText(text)).toBe(printed);
});

it('a line has no end in it', () => {
  expect(printableLine('GET /a\n[Roost] 1\t\u001b[2J')).toBe('GET /a\\u000a[Roost] 1\\u0009\\u001b[2J');
});
