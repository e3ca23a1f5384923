import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { GeneratorPattern } from './generator-pattern.js';

const generate = (pattern: string) => GeneratorPattern.parse(pattern).generate();
const samples = (pattern: string, count = 200) => {
  const generator = GeneratorPattern.parse(pattern);
  return Array.from({ length: count }, () => generator.generate());
};

describe('texts made from patterns', () => {
  it.each([
    '[a-z0-9]{15}',
    '[a-zA-Z0-9]{50}',
    'abc',
    '',
    '.',
    'a|b|cd',
    '(a|b)(?:c|d)',
    '(?P<year>\\d{4})-(?<month>0[1-9])',
    'x?y*z+',
    'a{2}b{1,3}c{2,}',
    'a+?b*?c??d{2}?',
    '[^a-z]{3}',
    '[^\\w]',
    '\\d\\w\\s\\D\\W\\S',
    '[\\d\\-_]{5}',
    '[]a]',
    '[a-]',
    '[-a]',
    '[^]a]',
    '[[:alpha:][:digit:]]{4}',
    '[[:^alnum:]]',
    '[[:punct:]]{20}',
    '[[:xdigit:]]{20}',
    '\\.\\*\\\\\\[\\{\\^\\$',
    '\\t\\n\\x41\\x{1F600}',
    'a{,5}',
    '{x}',
    '[äöü😀]{3}',
    '[α-ω]{3}',
    '(|a)',
    '((a{2}){2}){2}',
  ])('COL-61 %s is satisfied by what is made from it', (pattern) => {
    const whole = RE2JS.compile(`^(?:${pattern})$`, RE2JS.DOTALL);
    for (const text of samples(pattern)) expect(whole.test(text), JSON.stringify(text)).toBe(true);
  });

  it('COL-61 any pattern of the supported operators is satisfied by what is made from it', () => {
    const { pattern } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
      atom: fc.oneof(
        { maxDepth: 2 },
        fc.constantFrom('a', 'Z', '5', '_', '\\d', '\\w', '\\.', '.', '[a-f]', '[^a-f]', '[0-9_]', '\\s', 'é'),
        tie('pattern').map((inner) => `(${inner})`),
        tie('pattern').map((inner) => `(?:${inner})`),
      ),
      pattern: fc
        .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '?', '*', '+', '{2}', '{0,2}', '{1,}')), { maxLength: 4 })
        .chain((parts) =>
          fc.constantFrom(parts.map((part) => part.join('')).join(''), parts.map((part) => part.join('')).join('|')),
        ),
    }));
    fc.assert(
      fc.property(pattern, (text) => {
        const whole = RE2JS.compile(`^(?:${text})$`, RE2JS.DOTALL);
        for (const sample of samples(text, 3)) expect(whole.test(sample)).toBe(true);
      }),
    );
  });

  it('COL-61 repeats without an end stop at 6, unless they begin later', () => {
    const lengths = (pattern: string) => new Set(samples(pattern, 500).map((text) => text.length));
    expect(lengths('a*')).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    expect(lengths('a+')).toEqual(new Set([1, 2, 3, 4, 5, 6]));
    expect(lengths('a{4,}')).toEqual(new Set([4, 5, 6]));
    expect(lengths('a{9,}')).toEqual(new Set([9]));
    expect(lengths('a{2,3}')).toEqual(new Set([2, 3]));
    expect(lengths('a{0}')).toEqual(new Set([0]));
  });

  it('COL-61 a dot is a letter or digit, and negated classes draw from printable ASCII', () => {
    for (const text of samples('.{50}', 20)) expect(text).toMatch(/^[A-Za-z0-9]{50}$/);
    for (const text of samples('[^a-z]{50}\\D{50}', 20)) expect(text).toMatch(/^[\x20-\x7e]{100}$/);
    expect(new Set(samples('[^\\w]', 2000)).size).toBe(95 - 63);
  });

  it.each([
    '^a',
    'a$',
    '\\bx',
    '\\Ax',
    'x\\z',
    '\\Bx',
    '(?i)a',
    '(?i:a)',
    '(?s).',
    '\\pL',
    '\\p{Greek}',
    '\\Qa\\E',
    '[\\pL]',
    '[[:cntrl:]]',
  ])('COL-61 %s cannot be made', (pattern) => {
    expect(() => GeneratorPattern.parse(pattern)).toThrow(RangeError);
  });

  it('COL-61 classes without a printable character and texts without measure cannot be made', () => {
    expect(() => GeneratorPattern.parse('[^ -~]')).toThrow(RangeError);
    expect(() => GeneratorPattern.parse('((a{1000}){1000})')).toThrow(RangeError);
  });

  it('COL-61 ranges across the surrogates make characters only', () => {
    for (const text of samples('[\\x{d7fe}-\\x{e001}]', 50)) expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(new Set(samples('[\\x{d7fe}-\\x{e001}]', 500)).size).toBe(4);
  });

  it('COL-61 every choice comes up', () => {
    expect(new Set(samples('a|b|c', 300))).toEqual(new Set(['a', 'b', 'c']));
    expect(generate('abc')).toBe('abc');
  });
});
