import { describe, expect, it } from 'vitest';
import { FilterError } from './filter.error.js';
import { Lexer } from './lexer.js';
import type { Token } from './token.js';

function tokens(text: string): Token[] {
  const lexer = new Lexer(text);
  const found: Token[] = [];
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) found.push(token);
  return found;
}

/** Kind and content without the place, in short. */
function words(text: string): unknown[] {
  return tokens(text).map((token) => {
    switch (token.kind) {
      case 'identifier':
      case 'placeholder':
        return token.name;
      case 'number':
        return token.value;
      case 'text':
        return { text: token.value };
      case 'operator':
        return `${token.any ? 'any ' : ''}${token.operator}`;
      case 'join':
        return token.join;
      default:
        return token.kind;
    }
  });
}

function failure(text: string): { at: [number, number] } | undefined {
  try {
    tokens(text);
  } catch (error) {
    expect(error).toBeInstanceOf(FilterError);
    const { span } = error as FilterError;
    return { at: [span.start, span.end] };
  }
}

describe('the lexer', () => {
  it.each<[string, [number, number]]>([
    ['/', [0, 1]],
    ['a /b', [2, 3]],
    ['a / / b', [2, 3]],
    ['.5', [0, 1]],
    ['5.', [1, 2]],
    ['1.2.3', [3, 4]],
    ['+1', [0, 1]],
    ['-', [0, 1]],
    ['- 1', [0, 1]],
    ['-a', [0, 1]],
    ['--1', [0, 1]],
    ['1,5;2', [3, 4]],
    ['@', [0, 1]],
    ['_', [0, 1]],
    ['#', [0, 1]],
    ['a.', [0, 2]],
    ['a:', [0, 2]],
    ['a.b.:', [0, 5]],
    ['ä', [0, 1]],
    ['aä', [1, 2]],
    ['a\u00a0= 1', [1, 2]],
    ['\u{1F600}', [0, 2]],
    ['{:name}', [0, 1]],
    ['a[0]', [1, 2]],
    ['`a`', [0, 1]],
    ['a; b', [1, 2]],
    ['$1', [0, 1]],
    ['a % 1', [2, 3]],
    ['a * 1', [2, 3]],
    ['\\', [0, 1]],
    ['\f', [0, 1]],
    ['==', [0, 2]],
    ['a === 1', [2, 5]],
    ['a <> 1', [2, 4]],
    ['a =! 1', [2, 4]],
    ['a !', [2, 3]],
    ['a ?', [2, 3]],
    ['a ??= 1', [2, 5]],
    ['a =? 1', [2, 4]],
    ['a ~~ 1', [2, 4]],
    ['a >== 1', [2, 5]],
    ['a ~! 1', [2, 4]],
    ['&', [0, 1]],
    ['|', [0, 1]],
    ['&&&', [0, 3]],
    ['&&||', [0, 4]],
    ['|||', [0, 3]],
    ['&|', [0, 2]],
  ])('FLT-8 refuses %j', (text, at) => {
    expect(failure(text)).toEqual({ at });
  });

  it.each<[string, [number, number]]>([
    ['"', [0, 1]],
    ["'", [0, 1]],
    ['"abc', [0, 4]],
    ["'abc", [0, 4]],
    ['a = "b\\', [4, 7]],
    ['"b\\"', [0, 4]],
    ["'b\\'", [0, 4]],
    ['"a\'', [0, 3]],
  ])('FLT-8 refuses a text that is not closed: %j', (text, at) => {
    expect(failure(text)).toEqual({ at });
  });

  it.each<[string]>([
    ['"\0"'],
    ["'\0'"],
    ['"\\u0000"'],
    ['"a\\u0000b"'],
    ['\0'],
    ['a\0'],
    ['a = 1 // \0'],
    ['//\0\n a = 1'],
  ])('FLT-3 refuses a NUL character in %j', (text) => {
    expect(failure(text)).toBeDefined();
  });

  it('FLT-3 takes any other Unicode in texts', () => {
    expect(words('"\u0001 ä 漢 😀 \u2028"')).toEqual([{ text: '\u0001 ä 漢 😀 \u2028' }]);
    expect(words("'\u0001 ä 漢 😀 \\u0000'")).toEqual([{ text: '\u0001 ä 漢 😀 \\u0000' }]);
  });

  it.each<[string, string]>([
    [String.raw`"\"\\\/\b\f\n\r\t"`, '"\\/\b\f\n\r\t'],
    [String.raw`"\u0041\u00e9\uD83D\ude00"`, 'Aé😀'],
    [String.raw`"ab\%c"`, 'ab\\%c'],
    [String.raw`"\'\x\u12\uzzzz"`, "\\'\\x\\u12\\uzzzz"],
    [String.raw`"\\u0041"`, '\\u0041'],
    [String.raw`"\\\\n"`, '\\\\n'],
    [String.raw`"\\"`, '\\'],
    ['"a\\\nb"', 'a\\\nb'],
    ['"line\nbreak\ttab"', 'line\nbreak\ttab'],
    [`"it's"`, "it's"],
    ['""', ''],
  ])('FLT-1 reads the double-quoted %j', (text, value) => {
    expect(words(text)).toEqual([{ text: value }]);
  });

  it.each<[string, string]>([
    [String.raw`'it\'s'`, "it's"],
    [String.raw`'\n\\\"\u0041'`, '\\n\\\\\\"\\u0041'],
    [String.raw`'a\\'b'`, "a\\'b"],
    [String.raw`'\'\''`, "''"],
    ['\'say "hi"\'', 'say "hi"'],
    ["'line\nbreak'", 'line\nbreak'],
    ["''", ''],
  ])('FLT-2 reads the single-quoted %j', (text, value) => {
    expect(words(text)).toEqual([{ text: value }]);
  });

  it('FLT-2 never ends a single-quoted text at a quote behind a backslash', () => {
    expect(words(String.raw`'\' || secret = 1 || x = \''`)).toEqual([{ text: "' || secret = 1 || x = '" }]);
    expect(words(String.raw`'\\' || secret = 1 || x = \\''`)).toEqual([{ text: "\\' || secret = 1 || x = \\'" }]);
  });

  it.each<[string, unknown[]]>([
    ['', []],
    [' \t\r\n', []],
    ['// only a comment', []],
    ['a//b\nc', ['a', 'c']],
    ['a // b // c\r\n// d\n  e', ['a', 'e']],
    ['//\n//\n1//', [1]],
    ['"//"', [{ text: '//' }]],
    ['a b_1 C.d:e #f @g _h a..b a:b:c', ['a', 'b_1', 'C.d:e', '#f', '@g', '_h', 'a..b', 'a:b:c']],
    ['@request.auth.id', ['@request.auth.id']],
    ['a.0.b', ['a.0.b']],
    ['a@b', ['a', '@b']],
    ['0 12 -3 0.5 -10.25 007', [0, 12, -3, 0.5, -10.25, 7]],
    ['1a', [1, 'a']],
    ['a-1', ['a', -1]],
    ['1-2', [1, -2]],
    ['1e5 1.5e-7 -2E+3 1e005 0e0 1e308', [1e5, 1.5e-7, -2000, 1e5, 0, 1e308]],
    ['1e 1e1234 1ex 1.5e_', [1, 'e', 1, 'e1234', 1, 'ex', 1.5, 'e_']],
    ['= != > >= < <= ~ !~', ['=', '!=', '>', '>=', '<', '<=', '~', '!~']],
    ['?= ?!= ?> ?>= ?< ?<= ?~ ?!~', ['any =', 'any !=', 'any >', 'any >=', 'any <', 'any <=', 'any ~', 'any !~']],
    ['a=-1', ['a', '=', -1]],
    [
      'a=\'b\'&&c?~"d"||(e<1)',
      ['a', '=', { text: 'b' }, 'and', 'c', 'any ~', { text: 'd' }, 'or', 'open', 'e', '<', 1, 'close'],
    ],
    ['f(a,)', ['f', 'open', 'a', 'comma', 'close']],
  ])('FLT-8 reads %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('says where each token stands', () => {
    const text = ' ab >= "c\\"d" // x\n && -1.5';
    expect(tokens(text).map(({ span }) => text.slice(span.start, span.end))).toEqual([
      'ab',
      '>=',
      '"c\\"d"',
      '&&',
      '-1.5',
    ]);
    expect(new Lexer(' ').next()).toEqual({ kind: 'end', span: { start: 1, end: 1 } });
  });

  it('goes on behind what it refused', () => {
    const lexer = new Lexer('- = a');
    expect(() => lexer.next()).toThrow(FilterError);
    expect(lexer.next()).toMatchObject({ kind: 'operator' });
    expect(lexer.next()).toMatchObject({ kind: 'identifier' });
    expect(lexer.next()).toMatchObject({ kind: 'end' });
    expect(lexer.next()).toMatchObject({ kind: 'end' });
  });

  it('reads placeholders only when asked to', () => {
    const lexer = new Lexer('{:a_1}', { placeholders: true });
    expect(lexer.next()).toEqual({ kind: 'placeholder', name: 'a_1', span: { start: 0, end: 6 } });
    for (const text of ['{', '{a}', '{:}', '{:a', '{:a b}', '{: a}', '{:a.b}', '{:ä}']) {
      expect(() => new Lexer(text, { placeholders: true }).next(), text).toThrow(FilterError);
    }
  });
});
