import fc from 'fast-check';
import { relation } from '../test-database.js';
import type { Expression, Operand, Schema } from './evaluate.js';
import type { Operator, Plain } from './values.js';

/** What the collections of random worlds hold, as the naive evaluation sees it. */
export const SCHEMA: Schema = {
  main: {
    id: { kind: 'T' },
    t: { kind: 'T' },
    n: { kind: 'N' },
    b: { kind: 'B' },
    d: { kind: 'D' },
    j: { kind: 'J' },
    m: { kind: 'M' },
    r: { kind: 'T', target: 'far' },
    rs: { kind: 'M', target: 'far' },
  },
  far: {
    id: { kind: 'T' },
    name: { kind: 'T' },
    num: { kind: 'N' },
    tags: { kind: 'M' },
    up: { kind: 'T', target: 'far' },
    info: { kind: 'J' },
    on: { kind: 'B' },
  },
  back: { id: { kind: 'T' }, far: { kind: 'T', target: 'far' }, v: { kind: 'T' }, w: { kind: 'N' } },
};

const TEXTS = ['', 'a', 'A', 'b', 'ab', '5', '-1.5', 'a%', 'é', '\\'];
const NUMBERS = [0, 1, 5, -1.5, 10];
const DOCUMENTS = ['{"k":5}', '["a",5]', '{"k":"a","l":["a"]}', '["a", 5]'];
const DATES = ['', '2025-01-31 09:00:00.000Z', '2026-01-01 00:00:00.000Z'];
const ITEMS = ['a', 'b', '5'];
const FAR_IDS = ['f1', 'f2', 'f3'];
const JSONS = [
  null,
  5,
  0,
  true,
  'a',
  '',
  [],
  ['a', 5],
  ['a', null, 'b'],
  { k: 5 },
  { k: 'a', l: ['a'] },
  { k: ['a', 'b'] },
  { k: null, l: [[1]] },
];

const PATHS = `
  id t n b d j j.k j.0 j.k.0 j.l:each j.k:each j:each j:length j.k:lower m m:each m:length t:lower
  r r.id r.name r.num r.on r.tags r.tags:each r.tags:length r:length r.up r.up.name r.info.k r.info:each
  rs rs:each rs:length rs.id rs.name rs.num rs.on rs.tags rs.tags:each rs.name:lower rs.up.num
  rs.info rs.info.k rs.info.k:each rs.info:length
  r.back_via_far.v r.back_via_far.w rs.back_via_far.v rs.back_via_far.far.name r.far_via_up.name
  @collection.back.v @collection.back.w @collection.back:x.far @collection.far.tags:each
  @collection.back.far.name @collection.far.info.l`
  .trim()
  .split(/\s+/);

const quoteText = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** The query string of the request behind every filter. */
export const QUERY: Readonly<Record<string, string>> = { q: 'a', num: '5', doc: '{"k":5}', empty: '' };

const operand: fc.Arbitrary<Operand> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PATHS).map((text): Operand => ({ kind: 'path', text })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...TEXTS, ...DOCUMENTS, '%b', 'a_', '2025-01-31T10:00:00+01:00', '2025')
      .map((value): Operand => ({ kind: 'value', text: quoteText(value), value })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...NUMBERS).map((value): Operand => ({ kind: 'value', text: String(value), value })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<[string, Plain]>(['true', 1], ['false', 0], ['null', null])
      .map(([text, value]): Operand => ({ kind: 'value', text, value, literal: true })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('q', 'num', 'doc', 'empty', 'none')
      .map((name): Operand => ({ kind: 'value', text: `@request.query.${name}`, value: QUERY[name] ?? null })),
  },
);

const OPERATORS: readonly Operator[] = ['=', '!=', '>', '>=', '<', '<=', '~', '!~'];

/** One comparison of anything with anything. */
export const comparison: fc.Arbitrary<Expression> = fc.record({
  kind: fc.constant('comparison' as const),
  operator: fc.constantFrom(...OPERATORS),
  any: fc.boolean(),
  left: operand,
  right: operand,
});

/** Comparisons joined in groups. */
export const expression: fc.Arbitrary<Expression> = fc.letrec<{ node: Expression }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2 },
    comparison,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
    }),
  ),
})).node;

/** Few names, each in several conditions: variables that are shared by some terms and not by others. */
const SHARED_PATHS = `
  t rs.name rs.num rs.tags:each rs.up.name rs.back_via_far.v rs:each r.name r.up.name r.back_via_far.v m:each
  @collection.back.v @collection.back.w @collection.far.name`
  .trim()
  .split(/\s+/);

const sharedComparison: fc.Arbitrary<Expression> = fc.record({
  kind: fc.constant('comparison' as const),
  operator: fc.constantFrom<Operator>('=', '!=', '>', '~'),
  any: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  left: fc.constantFrom(...SHARED_PATHS).map((text): Operand => ({ kind: 'path', text })),
  right: fc.oneof(
    fc.constantFrom('a', 'b', '5', '').map((value): Operand => ({ kind: 'value', text: quoteText(value), value })),
    fc.constantFrom(...SHARED_PATHS).map((text): Operand => ({ kind: 'path', text })),
  ),
});

/** Comparisons about the same rows and about different ones, in groups inside groups. */
export const entangled: fc.Arbitrary<Expression> = fc.letrec<{ node: Expression }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'entangled' },
    { weight: 2, arbitrary: sharedComparison },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('node'), { minLength: 2, maxLength: 3, depthIdentifier: 'entangled' }),
      }),
    },
  ),
})).node;

/** The text of an expression. */
export function print(node: Expression): string {
  if (node.kind === 'comparison') return `${node.left.text} ${node.any ? '?' : ''}${node.operator} ${node.right.text}`;
  return `(${node.terms.map(print).join(node.kind === 'and' ? ' && ' : ' || ')})`;
}

const farRow = fc.record({
  name: fc.constantFrom(...TEXTS),
  num: fc.constantFrom(...NUMBERS),
  tags: fc.uniqueArray(fc.constantFrom(...ITEMS)),
  up: fc.constantFrom('', ...FAR_IDS),
  info: fc.constantFrom(...JSONS),
  on: fc.boolean(),
});
/** A few rows for each collection. */
export const world = fc.record({
  main: fc.array(
    fc.record({
      t: fc.constantFrom(...TEXTS),
      n: fc.constantFrom(...NUMBERS),
      b: fc.boolean(),
      d: fc.constantFrom(...DATES),
      j: fc.constantFrom(...JSONS),
      m: fc.uniqueArray(fc.constantFrom(...ITEMS)),
      r: fc.constantFrom('', ...FAR_IDS),
      rs: fc.uniqueArray(fc.constantFrom(...FAR_IDS)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  far: fc.tuple(farRow, farRow, farRow),
  back: fc.array(
    fc.record({ far: fc.constantFrom('', ...FAR_IDS), v: fc.constantFrom(...TEXTS), w: fc.constantFrom(...NUMBERS) }),
    { maxLength: 3 },
  ),
});

/** The same collections, as tables are made of them. */
export const SKETCHES = {
  far: {
    fields: { name: 'text', num: 'number', tags: list(), up: relation('far'), info: 'json', on: 'bool' },
    listRule: 'num > 0',
  },
  back: { fields: { far: relation('far'), v: 'text', w: 'number' } },
  main: {
    fields: {
      t: 'text',
      n: 'number',
      b: 'bool',
      d: 'date',
      j: 'json',
      m: list(),
      r: relation('far'),
      rs: relation('far', 9),
    },
  },
};

function list() {
  return { type: 'select', values: ITEMS, maxSelect: 3 };
}
