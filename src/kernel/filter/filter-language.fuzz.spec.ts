import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ComparisonOperator, FilterNode, OperandNode } from './filter-node.js';
import { FilterError } from './filter.error.js';
import { Lexer } from './lexer.js';
import { bindParameters, parseFilter } from './parse-filter.js';
import { printFilter } from './print-filter.js';
import { hasSuperuserIdentifier } from './superuser-identifiers.js';

const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
console.info(`FUZZ_SEED=${seed}`);

const span = { start: 0, end: 0 };
const OPERATORS: readonly ComparisonOperator[] = ['=', '!=', '>', '>=', '<', '<=', '~', '!~'];
const NAMES = [
  'a',
  'title',
  '_x',
  '#',
  '@now',
  '@request.auth.id',
  'true',
  'NULL',
  'a.b.c',
  'tags:each',
  'x_via_y.z:lower',
  'j.0.k',
];

const anyText = fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', ''));
const trickyText = fc
  .array(fc.constantFrom('\\', "'", '"', '\n', '{:v}', '//', ' || 1 = 1', 'u0041', 'é', '😀', '\ud800', '%'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const text = fc.oneof(anyText, trickyText);

const leaf: fc.Arbitrary<OperandNode> = fc.oneof(
  fc
    .constantFrom(...NAMES.filter((name) => name !== '#'))
    .map((name): OperandNode => ({ kind: 'identifier', name, span })),
  fc
    .tuple(fc.boolean(), fc.nat(), fc.option(fc.stringMatching(/^[0-9]{1,4}$/)))
    .map(([minus, whole, fraction]) => `${minus ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`)
    .map((digits): OperandNode => ({ kind: 'number', value: Number(digits), text: digits, span })),
  text.map((value): OperandNode => ({ kind: 'text', value, span })),
);

const operand: fc.Arbitrary<OperandNode> = fc.oneof(
  { arbitrary: leaf, weight: 9 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom('f', 'geoDistance', 'strftime'), fc.array(leaf, { maxLength: 4 }))
      .map(([name, args]): OperandNode => ({ kind: 'call', name, args, span })),
    weight: 1,
  },
);

const comparison: fc.Arbitrary<FilterNode> = fc
  .tuple(fc.constantFrom(...OPERATORS), fc.boolean(), operand, operand)
  .map(([operator, any, left, right]) => ({ kind: 'comparison', operator, any, left, right, span }));

/** Trees as the parser builds them: at least two terms, and none of the node's own kind. */
function joined(kind: 'and' | 'or', terms: readonly FilterNode[]): FilterNode {
  const flat = terms.flatMap((term) => (term.kind === kind ? term.terms : [term]));
  return flat.length === 1 ? flat[0] : { kind, terms: flat, span };
}

const tree: fc.Arbitrary<FilterNode> = fc.letrec<{ tree: FilterNode }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison,
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
      .map(([kind, terms]) => joined(kind, terms)),
  ),
})).tree;

/** A tree as text, without the places, to compare by. */
const content = (node: FilterNode) =>
  JSON.stringify(node, (key, value: unknown) => (key === 'span' ? undefined : value));

/** The tree, undefined for a FilterError. Any other error fails the test. */
function parseOrRefuse(source: string): FilterNode | undefined {
  try {
    return parseFilter(source);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { start, end } = error.span;
    if (!(0 <= start && start <= end && end <= source.length))
      throw new Error(`span ${start}-${end}`, { cause: error });
    return undefined;
  }
}

const fragments = [
  ...NAMES,
  ...OPERATORS,
  '?=',
  '?!~',
  '&&',
  '||',
  '&',
  '(',
  '((',
  ')',
  '))',
  ',',
  'f(',
  ' ',
  '\n',
  '//',
  '/',
  '{:v}',
];
const morsels = [
  ...fragments,
  '1',
  '-2.5',
  '-',
  '.',
  "'",
  '"',
  "'x'",
  '"y"',
  '\\',
  '\\u0000',
  '\0',
  'ü',
  '😀',
  '\ud800',
  '!',
  '?',
  'a = 1',
  ' && b ~ 2',
];

describe('the filter language, on generated texts', () => {
  it('FLT-4 parses or refuses any sequence of fragments with a FilterError', { timeout: 120_000 }, () => {
    let accepted = 0;
    const soup = fc.array(fc.constantFrom(...morsels), { maxLength: 14 });
    fc.assert(
      fc.property(soup, (parts) => {
        const source = parts.join('');
        hasSuperuserIdentifier(source);
        const parsed = parseOrRefuse(source);
        if (!parsed) return;
        accepted++;
        if (content(parseFilter(printFilter(parsed))) !== content(parsed)) throw new Error(printFilter(parsed));
      }),
      { seed, numRuns: 80_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it('FLT-8 prints any tree as text that parses to the same tree', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(tree, (node) => {
        const printed = printFilter(node);
        const parsed = parseFilter(printed);
        if (content(parsed) !== content(node) || printFilter(parsed) !== printed) throw new Error(printed);
      }),
      { seed, numRuns: 30_000 },
    );
  });

  it('FLT-4 parses or refuses a text with a part cut out, doubled or exchanged', { timeout: 120_000 }, () => {
    let refused = 0;
    const edit = fc.record({
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(4),
      insert: fc.constantFrom('', ...morsels),
    });
    fc.assert(
      fc.property(tree, edit, (node, { from, length, insert }) => {
        const source = printFilter(node);
        const start = Math.floor(from * source.length);
        if (!parseOrRefuse(source.slice(0, start) + insert + source.slice(start + length))) refused++;
      }),
      { seed, numRuns: 15_000 },
    );
    expect(refused).toBeGreaterThan(1000);
  });

  it(
    'FLT-1 FLT-2 EXT-21 keeps any value one operand, quoted by a client or bound by code',
    { timeout: 120_000 },
    () => {
      const valueIn = (node: FilterNode): unknown => {
        if (node.kind !== 'and' || node.terms.length !== 2) throw new Error(node.kind);
        const [first] = node.terms;
        return first.kind === 'comparison' && first.right.kind === 'text' ? first.right.value : undefined;
      };
      fc.assert(
        fc.property(text, (value) => {
          expect(valueIn(bindParameters('a = {:v} && b = 1', { v: value }))).toBe(value);
          expect(valueIn(parseFilter(`a = ${JSON.stringify(value)} && b = 1`))).toBe(value);
          const single = `a = '${value.replaceAll("'", "\\'")}' && b = 1`;
          if (value.endsWith('\\')) expect(parseOrRefuse(single)).toBeUndefined();
          else expect(valueIn(parseFilter(single))).toBe(value);
        }),
        { seed, numRuns: 10_000 },
      );
      fc.assert(
        fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
          const bound = bindParameters('a = {:v}', { v: value });
          expect(content(parseFilter(printFilter(bound)))).toBe(content(bound));
          expect(bound).toMatchObject({ right: { value: value + 0 } });
        }),
        { seed, numRuns: 2_000 },
      );
    },
  );

  it('reads each token once, so that its time grows with the length of the text only', () => {
    const next = vi.spyOn(Lexer.prototype, 'next');
    const reads = (source: string) => {
      next.mockClear();
      parseOrRefuse(source);
      return next.mock.calls.length;
    };
    try {
      for (const size of [100, 10_000, 100_000]) {
        expect(reads('('.repeat(size))).toBe(size + 1);
        expect(reads(`${'('.repeat(size)}a = 1${')'.repeat(size)}`)).toBe(2 * size + 4);
        expect(reads('f('.repeat(size))).toBeLessThan(10);
        expect(reads('a = 1 && '.repeat(size))).toBeLessThan(900);
      }
      expect(reads(`a = "${'\\"'.repeat(100_000)}"`)).toBe(4);
      expect(reads(`${'// x\n'.repeat(100_000)}a = 1`)).toBe(4);
    } finally {
      next.mockRestore();
    }
  });
});
