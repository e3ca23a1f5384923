import { asciiLower } from '../ascii-lower.js';
import type { SqlValue } from '../fields/field-type.js';
import type { SqlComparison, SqlNode, SqlType } from './sql-node.js';

/** The result that only the database can give. */
export const UNDECIDED = Symbol('undecided');

/** What an expression gives. Truths are 1 and 0, NULL is null. */
export type Evaluated = string | number | null | typeof UNDECIDED;

/** An expression that can be asked without the database. */
export type Evaluator<Input> = (input: Input) => Evaluated;

/** How values are found that are not written in the expression; undefined where they are not at hand. */
export type FindValue<Input> = (node: SqlNode) => ((input: Input) => SqlValue) | undefined;

type Call = Extract<SqlNode, { kind: 'call' }>;

/**
 * Compiles an expression to a JavaScript function; undefined when it needs more than the given values: rows of tables,
 * patterns, JSON. It decides only where every database agrees: texts compared with texts and whole numbers with whole
 * numbers, so that nothing is converted, and NULL as in SQL. Everything else is UNDECIDED.
 */
export function evaluatorOf<Input>(node: SqlNode, find: FindValue<Input>): Evaluator<Input> | undefined {
  switch (node.kind) {
    case 'column':
    case 'param':
    case 'listItem':
      return valueOf(node, find);
    case 'constant':
      return () => node.value;
    case 'null':
      return () => null;
    case 'truth':
      return () => truth(node.value);
    case 'call':
      return callOf(node, find);
    case 'compare': {
      const { operator } = node;
      return combined([node.left, node.right], find, ([left, right]) => compareValues(operator, left!, right!));
    }
    case 'isNull':
      return combined([node.value], find, ([value]) => truth(value === null));
    case 'isFilled':
      return combined([node.value], find, ([value]) => (value === null ? null : compareValues('isNot', value!, '')));
    case 'and':
      return joined(node.terms, find, 0);
    case 'or':
      return joined(node.terms, find, 1);
    case 'not':
      return combined([node.term], find, ([term]) =>
        typeof term === 'number' ? truth(term === 0) : unlessNull(term!),
      );
    case 'cast':
      return combined([node.value], find, ([value]) => ofType(value!, node.type));
    default:
      return undefined;
  }
}

/** Characters that drivers and databases treat differently: NUL, and all beyond the basic plane. */
// oxlint-disable-next-line no-control-regex -- it is the character that is meant
const DELICATE = /[\0\ud800-\udfff]/;

function valueOf<Input>(
  node: Extract<SqlNode, { kind: 'column' | 'param' | 'listItem' }>,
  find: FindValue<Input>,
): Evaluator<Input> | undefined {
  const { kind, type } = node;
  if (type === 'json' || type === 'geoPoint') return undefined;
  if (kind === 'param' && (typeof node.value !== 'object' || node.value === null)) {
    const value = plain(node.value);
    return () => value;
  }
  const read = find(node);
  if (!read) return undefined;
  // A column has its declared type; that of a parameter is only assumed.
  return kind === 'column' ? (input) => ofType(plain(read(input)), type) : (input) => plain(read(input));
}

function plain(value: unknown): Evaluated {
  if (value === null) return null;
  if (typeof value === 'string') return DELICATE.test(value) ? UNDECIDED : value;
  return Number.isSafeInteger(value) ? (value as number) : UNDECIDED;
}

/** The value where it is of this type already. */
function ofType(value: Evaluated, type: SqlType): Evaluated {
  if (value === null) return null;
  const expected = type === 'number' || type === 'boolean' ? 'number' : 'string';
  return typeof value === expected ? value : UNDECIDED;
}

function callOf<Input>({ name, args }: Call, find: FindValue<Input>): Evaluator<Input> | undefined {
  switch (name) {
    case 'coalesce':
      return combined(args, find, (values) => values.find((value) => value !== null) ?? null);
    case 'lower':
      return combined(args, find, ([value]) => (typeof value === 'string' ? asciiLower(value) : unlessNull(value!)));
    default:
      return undefined;
  }
}

/** Evaluates the parts, then `combine` of them unless one is undecided. */
function combined<Input>(
  nodes: readonly SqlNode[],
  find: FindValue<Input>,
  combine: (values: readonly Evaluated[]) => Evaluated,
): Evaluator<Input> | undefined {
  const parts = evaluatorsOf(nodes, find);
  return (
    parts &&
    ((input) => {
      const values = parts.map((part) => part(input));
      return values.includes(UNDECIDED) ? UNDECIDED : combine(values);
    })
  );
}

/**
 * AND, where 0 decides, or OR, where 1 does: one such term is enough, whatever the others are. Otherwise NULL if there
 * is one.
 */
function joined<Input>(
  terms: readonly SqlNode[],
  find: FindValue<Input>,
  decisive: 0 | 1,
): Evaluator<Input> | undefined {
  const parts = terms.flatMap((term) => evaluatorOf(term, find) ?? []);
  if (parts.length === 0) return undefined;
  const isWhole = parts.length === terms.length;
  return (input) => {
    let result: Evaluated = isWhole ? 1 - decisive : UNDECIDED;
    for (const part of parts) {
      const value = part(input);
      if (typeof value === 'number' && truth(value !== 0) === decisive) return decisive;
      if (typeof value === 'string' || value === UNDECIDED) result = UNDECIDED;
      else if (value === null && result !== UNDECIDED) result = null;
    }
    return result;
  };
}

function evaluatorsOf<Input>(nodes: readonly SqlNode[], find: FindValue<Input>): Evaluator<Input>[] | undefined {
  const evaluators: Evaluator<Input>[] = [];
  for (const node of nodes) {
    const evaluator = evaluatorOf(node, find);
    if (!evaluator) return undefined;
    evaluators.push(evaluator);
  }
  return evaluators;
}

function compareValues(operator: SqlComparison, left: Evaluated, right: Evaluated): Evaluated {
  if (left === null || right === null) {
    if (operator === 'is') return truth(left === right);
    return operator === 'isNot' ? truth(left !== right) : null;
  }
  if (typeof left !== typeof right || typeof left === 'symbol' || typeof right === 'symbol') return UNDECIDED;
  switch (operator) {
    case '=':
    case 'is':
      return truth(left === right);
    case 'isNot':
      return truth(left !== right);
    // Without surrogates the order of code units is that of UTF-8.
    case '>':
      return truth(left > right);
    case '>=':
      return truth(left >= right);
    case '<':
      return truth(left < right);
    case '<=':
      return truth(left <= right);
  }
}

function truth(holds: boolean): 0 | 1 {
  return holds ? 1 : 0;
}

function unlessNull(value: Evaluated): Evaluated {
  return value === null ? null : UNDECIDED;
}
