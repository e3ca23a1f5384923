import { describe, expect, it } from 'vitest';
import type { FilterNode } from './filter-node.js';
import { FilterError } from './filter.error.js';
import { bindParameters, MAX_CLIENT_FILTER_BYTES, parseFilter } from './parse-filter.js';
import { printFilter } from './print-filter.js';

function failure(work: () => unknown): FilterError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(FilterError);
    return error as FilterError;
  }
  throw new Error('expected a FilterError');
}

/** The tree with every node in parentheses, so that precedence shows. */
function shape(node: FilterNode): string {
  if (node.kind === 'comparison') return printFilter(node);
  return `(${node.terms.map(shape).join(node.kind === 'and' ? ' && ' : ' || ')})`;
}

const repeat = (condition: string, times: number) => Array.from({ length: times }, () => condition).join(' && ');

describe('parseFilter', () => {
  it.each<[string, number]>([
    ['', 0],
    ['   ', 3],
    ['// nothing', 10],
    ['a', 1],
    ['a =', 3],
    ['= 1', 0],
    ['a 1', 2],
    ['a = = 1', 4],
    ['a = 1 b = 2', 6],
    ['a = 1 (b = 2)', 6],
    ['a = 1 2', 6],
    ['a = 1 &&', 8],
    ['a = 1 ||', 8],
    ['a = 1 && // more', 16],
    ['&& a = 1', 0],
    ['a = 1 && && b = 2', 9],
    ['a = 1 || && b = 2', 9],
    ['()', 1],
    ['( )', 2],
    ['a = 1 && ()', 10],
    ['(a = 1', 0],
    ['((a = 1)', 0],
    ['a = 1)', 5],
    ['(a = 1))', 7],
    ['(a = 1)(b = 2)', 7],
    ['a = (b = 1)', 4],
    ['a = (1)', 4],
    ['(a) = 1', 2],
    ['a = 1, b = 2', 5],
    ['(a = 1, b = 2)', 6],
    ['!a = 1', 0],
    ['not a = 1', 4],
    ['a = 1 and b = 2', 6],
    ['a && b', 2],
    ['true', 4],
    ['a > 1 > 2', 6],
    ['a = 1 + 2', 6],
    ['a = b.', 4],
    ['a = {b: 1}', 4],
    ['a = 1;', 5],
    ['a = "x', 4],
    ["a = 'x' 'y'", 8],
    ['a b c §', 2],
  ])('FLT-4 refuses %j and names the place', (text, position) => {
    expect(failure(() => parseFilter(text)).span.start).toBe(position);
  });

  it.each<[string, number]>([
    ['f() ', 4],
    ['a = f (1)', 6],
    ['a = f//x\n(1)', 9],
    ['a = f(1', 7],
    ['a = f(,)', 6],
    ['a = f(1,,2)', 8],
    ['a = f(1 2)', 8],
    ['a = f(1 = 2)', 8],
    ['a = f((1))', 6],
    ['a = f(1))', 8],
    ['a = f(1 && 2)', 8],
    ['a = f(1)(2)', 8],
    ['a = 1(2)', 5],
    ["a = 'f'(2)", 7],
  ])('FLT-8 refuses the call in %j', (text, position) => {
    expect(failure(() => parseFilter(text)).span.start).toBe(position);
  });

  it.each<[string, string]>([
    ['a=1', 'a = 1'],
    ['a = 1 && b = 2 && c = 3', '(a = 1 && b = 2 && c = 3)'],
    ['a = 1 || b = 2 || c = 3', '(a = 1 || b = 2 || c = 3)'],
    ['a = 1 || b = 2 && c = 3', '(a = 1 || (b = 2 && c = 3))'],
    ['a = 1 && b = 2 || c = 3', '((a = 1 && b = 2) || c = 3)'],
    ['a = 1 && b = 2 || c = 3 && d = 4', '((a = 1 && b = 2) || (c = 3 && d = 4))'],
    ['a = 1 && (b = 2 || c = 3)', '(a = 1 && (b = 2 || c = 3))'],
    ['(a = 1 || b = 2) && c = 3', '((a = 1 || b = 2) && c = 3)'],
    ['(a = 1 && b = 2) && c = 3', '(a = 1 && b = 2 && c = 3)'],
    ['a = 1 || (b = 2 || (c = 3))', '(a = 1 || b = 2 || c = 3)'],
    ['(((a = 1)))', 'a = 1'],
    [
      'a = 1 && ((b = 2 || (c = 3 && d = 4)) && e = 5) || f = 6',
      '((a = 1 && (b = 2 || (c = 3 && d = 4)) && e = 5) || f = 6)',
    ],
    ['a="1"&&b=\'2\'', '(a = "1" && b = "2")'],
    ['a ?!~ b', 'a ?!~ b'],
    ['1 = 1', '1 = 1'],
    ['TRUE != null', 'TRUE != null'],
    [
      '// first\na = 1 // second\n&& // third\n( // fourth\nb = f( // fifth\n1 // sixth\n, // seventh\n)) //',
      '(a = 1 && b = f(1))',
    ],
    ['a = f()', 'a = f()'],
    ['f( a , "b" ,-1.50, ) < g(h(1))', 'f(a, "b", -1.50) < g(h(1))'],
  ])('FLT-8 gives && precedence over || and flattens: %j', (text, expected) => {
    expect(shape(parseFilter(text))).toBe(expected);
  });

  it('tells where every node stands, parentheses of its terms included', () => {
    const text = ' (a = 1 || b=2) && geo(c, 1) > 3 ';
    const node = parseFilter(text);
    const spans: string[] = [];
    const visit = (part: { kind: string; span: { start: number; end: number } }) =>
      spans.push(`${part.kind} ${text.slice(part.span.start, part.span.end)}`);
    if (node.kind !== 'and' || node.terms[0].kind !== 'or' || node.terms[1].kind !== 'comparison')
      throw new Error(node.kind);
    [node, node.terms[0], ...node.terms[0].terms, node.terms[1], node.terms[1].left].forEach(visit);
    expect(spans).toEqual([
      'and (a = 1 || b=2) && geo(c, 1) > 3',
      'or a = 1 || b=2',
      'comparison a = 1',
      'comparison b=2',
      'comparison geo(c, 1) > 3',
      'call geo(c, 1)',
    ]);
  });

  it('keeps the text of a number beside its value', () => {
    expect(parseFilter('a = 10.50')).toMatchObject({ right: { kind: 'number', value: 10.5, text: '10.50' } });
    expect(parseFilter('a = 1.5e-7')).toMatchObject({ right: { kind: 'number', value: 1.5e-7, text: '1.5e-7' } });
    expect(parseFilter('a = 12345678901234567890')).toMatchObject({ right: { text: '12345678901234567890' } });
  });

  it('FLT-6 takes 200 conditions and refuses the 201st', () => {
    const tree = parseFilter(repeat('a = 1', 200));
    expect(tree).toMatchObject({ kind: 'and', terms: { length: 200 } });
    const text = `${repeat('(a = 1)', 200)} || last = 2`;
    const { span } = failure(() => parseFilter(text));
    expect(text.slice(span.start, span.end)).toBe('last = 2');
  });

  it('FLT-6 takes calls nested 3 deep and refuses the 4th', () => {
    expect(shape(parseFilter('f(g(h(1))) = 1'))).toBe('f(g(h(1))) = 1');
    expect(failure(() => parseFilter('a = f(g(h(i(1))))')).span).toEqual({ start: 10, end: 11 });
    const deep = `a = ${'f('.repeat(50_000)}1${')'.repeat(50_000)}`;
    expect(failure(() => parseFilter(deep)).span).toEqual({ start: 10, end: 11 });
  });

  it('FLT-6 takes 10 arguments and refuses the 11th', () => {
    expect(shape(parseFilter('f(1,2,3,4,5,6,7,8,9,10,) = 1'))).toBe('f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) = 1');
    expect(failure(() => parseFilter('f(1,2,3,4,5,6,7,8,9,10,11) = 1')).span).toEqual({ start: 23, end: 25 });
  });

  it('FLT-6 counts the bytes of a client filter in UTF-8, and those of a rule not at all', () => {
    const client = { maxBytes: MAX_CLIENT_FILTER_BYTES };
    const ofLength = (bytes: number) => `a = "${'x'.repeat(bytes - 6)}"`;
    expect(parseFilter(ofLength(3500), client)).toMatchObject({ kind: 'comparison' });
    expect(failure(() => parseFilter(ofLength(3501), client)).message).toContain('3500');
    const umlauts = `a = "${'ä'.repeat(1747)}"`;
    expect(parseFilter(umlauts, client)).toMatchObject({ kind: 'comparison' });
    failure(() => parseFilter(`${umlauts} `, client));
    failure(() => parseFilter(`a = "${'漢'.repeat(1200)}"`, client));
    expect(parseFilter(ofLength(100_000))).toMatchObject({ kind: 'comparison' });
  });

  it('FLT-6 takes redundant parentheses at any depth', () => {
    const depth = 100_000;
    expect(shape(parseFilter(`${'('.repeat(depth)}a = 1${')'.repeat(depth)}`))).toBe('a = 1');
    const chain = `${'('.repeat(199)}a = 1${' && a = 1)'.repeat(199)}`;
    expect(parseFilter(chain)).toMatchObject({ kind: 'and', terms: { length: 200 } });
    let zigzag = 'a = 1';
    for (let level = 1; level < 200; level++) zigzag = `(${zigzag}) ${level % 2 ? '&&' : '||'} b = ${level}`;
    expect(printFilter(parseFilter(printFilter(parseFilter(zigzag))))).toBe(printFilter(parseFilter(zigzag)));
  });

  it('FLT-4 refuses deep unbalanced parentheses with an error', () => {
    const depth = 100_000;
    expect(failure(() => parseFilter('('.repeat(depth))).span.start).toBe(depth);
    expect(failure(() => parseFilter(`${'('.repeat(depth)}a = 1`)).span.start).toBe(depth - 1);
    expect(failure(() => parseFilter(`a = 1${')'.repeat(depth)}`)).span.start).toBe(5);
    expect(failure(() => parseFilter('()'.repeat(depth))).span.start).toBe(1);
  });

  it('FLT-7 gives placeholders no meaning', () => {
    expect(failure(() => parseFilter('a = {:name}')).span).toEqual({ start: 4, end: 5 });
  });
});

describe('bindParameters', () => {
  const operand = (value: unknown) => {
    const node = bindParameters('a = {:v}', { v: value as string });
    if (node.kind !== 'comparison') throw new Error(node.kind);
    const { span, ...rest } = node.right;
    expect(span).toEqual({ start: 4, end: 8 });
    return rest;
  };

  it.each<[unknown]>([
    [undefined],
    [NaN],
    [Infinity],
    [-Infinity],
    [10n],
    [Symbol('x')],
    [() => 1],
    [new Date(NaN)],
    ['a\0b'],
  ])('EXT-21 refuses the value %s', (value) => {
    failure(() => operand(value));
  });

  it('EXT-21 refuses a name without a value, also one every object inherits', () => {
    expect(failure(() => bindParameters('a = {:b}', {})).message).toContain('{:b}');
    failure(() => bindParameters('a = {:constructor}', {}));
    failure(() => bindParameters('a = {:__proto__}', {}));
  });

  it.each<[string]>([['{:a} 1'], ['a {:a} 1'], ['{:a}'], ['a = {:a}b'], ['a = {:a}(1)'], ['a = {:a}{:a}']])(
    'EXT-21 takes a placeholder only as an operand, not in %j',
    (text) => {
      failure(() => bindParameters(text, { a: 'x' }));
    },
  );

  it.each<[unknown, object]>([
    ["x' || 1 = 1 || '", { kind: 'text', value: "x' || 1 = 1 || '" }],
    ['{:v}', { kind: 'text', value: '{:v}' }],
    ['', { kind: 'text', value: '' }],
    [0, { kind: 'number', value: 0, text: '0' }],
    [-0, { kind: 'number', value: 0, text: '0' }],
    [-12.75, { kind: 'number', value: -12.75, text: '-12.75' }],
    [1e21, { kind: 'number', value: 1e21, text: '1000000000000000000000' }],
    [-1.5e22, { kind: 'number', value: -1.5e22, text: '-15000000000000000000000' }],
    [1e-7, { kind: 'number', value: 1e-7, text: '0.0000001' }],
    [-2.5e-9, { kind: 'number', value: -2.5e-9, text: '-0.0000000025' }],
    [true, { kind: 'identifier', name: 'true' }],
    [false, { kind: 'identifier', name: 'false' }],
    [null, { kind: 'identifier', name: 'null' }],
    [new Date(Date.UTC(2025, 0, 31, 9, 5, 7, 42)), { kind: 'text', value: '2025-01-31 09:05:07.042Z' }],
    [['a', 1], { kind: 'text', value: '["a",1]' }],
    [{ a: 1 }, { kind: 'text', value: '{"a":1}' }],
  ])('EXT-21 binds %j as one operand', (value, expected) => {
    expect(operand(value)).toEqual(expected);
  });

  it('EXT-21 binds in calls and on both sides, as often as the name occurs', () => {
    const node = bindParameters('geoDistance({:lon}, {:lat}, 1, 2) < {:max} || {:max} = 0', {
      lon: 1.5,
      lat: -2,
      max: 10,
    });
    expect(printFilter(node)).toBe('geoDistance(1.5, -2, 1, 2) < 10 || 10 = 0');
  });

  it('EXT-21 leaves what looks like a placeholder inside a text alone', () => {
    expect(printFilter(bindParameters('a = "{:x}"', { x: 1 }))).toBe('a = "{:x}"');
  });

  it('FLT-6 applies the limits to the text with placeholders', () => {
    failure(() => bindParameters(repeat('a = {:x}', 201), { x: 1 }));
    failure(() => bindParameters('a = {:x}', { x: 1 }, { maxBytes: 7 }));
    expect(bindParameters('a = {:x}', { x: 'y'.repeat(5000) }, { maxBytes: 8 })).toMatchObject({ kind: 'comparison' });
  });
});
