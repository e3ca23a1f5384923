import { isName, isQuery, splitAtCommas, symbol, word, type SqlNode } from './sql-tree.js';
import type { SqlToken } from './sql-tokens.js';

/** What an expression is, as far as the type of its values depends on it (COL-133). */
export type ViewExpression =
  /** A name such as `a`, `t.a` or `schema.t.a`. */
  | { readonly kind: 'path'; readonly path: readonly string[] }
  /** A query in parentheses. */
  | { readonly kind: 'query'; readonly nodes: readonly SqlNode[] }
  /** One of these values. */
  | { readonly kind: 'oneOf'; readonly values: readonly ViewExpression[] }
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'cast'; readonly type: string }
  | { readonly kind: 'text'; readonly isEmpty: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'other' };

const OTHER: ViewExpression = { kind: 'other' };
const TEXT: ViewExpression = { kind: 'text', isEmpty: false };

const TEXT_FUNCTIONS = new Set(
  (
    'lower upper trim ltrim rtrim substr substring replace printf format strftime date time datetime group_concat ' +
    'string_agg concat concat_ws'
  ).split(' '),
);

/** Functions whose result is one of their arguments, and which of these. */
const CHOICES: ReadonlyMap<string, (args: readonly SqlNode[][]) => readonly SqlNode[][]> = new Map([
  ...['min', 'max', 'coalesce', 'ifnull'].map((name) => [name, (args: readonly SqlNode[][]) => args] as const),
  ...['iif', 'if'].map((name) => [name, conditionalValues] as const),
  ['nullif', (args) => args.slice(0, 1)] as const,
]);

/** Conditions and values take turns; a last one without a condition is what else there is. */
function conditionalValues(args: readonly SqlNode[][]): readonly SqlNode[][] {
  return args.filter((_, at) => at % 2 === 1 || (at > 0 && at === args.length - 1));
}

/** Tells what an expression without an alias is. */
export function readExpression(nodes: readonly SqlNode[]): ViewExpression {
  const [first, second] = nodes;
  const last = nodes.at(-1);
  if (last?.kind === 'cast' && isOperand(withoutCasts(nodes))) return { kind: 'cast', type: last.value };
  if (first?.kind === 'group' && nodes.length === 1) return parenthesised(first.nodes);
  if (isName(first) && second?.kind === 'group' && isWholeCall(nodes.slice(2))) {
    return call(first.value.toLowerCase(), second.nodes);
  }
  const cases = word(first, 'CASE') && word(nodes.at(-1), 'END') ? caseValues(nodes.slice(1, -1)) : undefined;
  if (cases) return choice(cases);
  if (nodes.length === 1 && word(first, 'NULL')) return { kind: 'null' };
  if (nodes.length === 1 && first?.kind === 'text') return { kind: 'text', isEmpty: first.value === '' };
  const path = namePath(nodes);
  if (path) return { kind: 'path', path };
  return isConcatenation(nodes) ? TEXT : OTHER;
}

function parenthesised(nodes: readonly SqlNode[]): ViewExpression {
  if (isQuery(nodes)) return { kind: 'query', nodes };
  return nodes.some((node) => symbol(node, ',')) ? OTHER : readExpression(nodes);
}

function call(name: string, nodes: readonly SqlNode[]): ViewExpression {
  if (name === 'cast') return cast(nodes);
  if (TEXT_FUNCTIONS.has(name)) return TEXT;
  const values = CHOICES.get(name)?.(splitAtCommas(word(nodes[0], 'DISTINCT') ? nodes.slice(1) : nodes));
  return values ? choice(values) : { kind: 'call', name };
}

/** Nothing but FILTER (…), OVER (…) or OVER w may follow the arguments. */
function isWholeCall(after: readonly SqlNode[]): boolean {
  let at = 0;
  if (word(after[at], 'FILTER') && after[at + 1]?.kind === 'group') at += 2;
  if (word(after[at], 'OVER') && after[at + 1]) at += 2;
  return at === after.length;
}

function cast(nodes: readonly SqlNode[]): ViewExpression {
  const as = nodes.findLastIndex((node) => word(node, 'AS'));
  const type = nodes[as + 1];
  if (as < 0 || type?.kind !== 'word' || nodes.slice(as + 2).some((node) => node.kind !== 'group')) return OTHER;
  return { kind: 'cast', type: type.value.toLowerCase() };
}

function choice(values: readonly (readonly SqlNode[])[]): ViewExpression {
  return { kind: 'oneOf', values: values.map(readExpression) };
}

/** What follows each THEN and ELSE of a CASE, but not of those inside of it; undefined when it ends in between. */
function caseValues(nodes: readonly SqlNode[]): SqlNode[][] | undefined {
  const values: SqlNode[][] = [];
  let value: SqlNode[] | undefined;
  let depth = 0;
  for (const node of nodes) {
    if (depth === 0 && word(node, 'THEN', 'ELSE')) values.push((value = []));
    else if (depth === 0 && word(node, 'WHEN')) value = undefined;
    else value?.push(node);
    if (word(node, 'CASE')) depth++;
    else if (word(node, 'END')) depth--;
    if (depth < 0) return undefined;
  }
  return values;
}

/** An expression without the casts at its end. */
export function withoutCasts(nodes: readonly SqlNode[]): readonly SqlNode[] {
  return nodes.slice(0, nodes.findLastIndex(({ kind }) => kind !== 'cast') + 1);
}

/** Whether a cast after it is one of all of it: a cast binds more tightly than operators do. */
function isOperand(nodes: readonly SqlNode[]): boolean {
  const [first, second] = nodes;
  if (nodes.length === 1 || namePath(nodes)) return true;
  if (isName(first) && second?.kind === 'group') return isWholeCall(nodes.slice(2));
  return word(first, 'CASE') && word(nodes.at(-1), 'END') && caseValues(nodes.slice(1, -1)) !== undefined;
}

/** `a`, `t.a` or `schema.t.a` as a list of names. */
export function namePath(nodes: readonly SqlNode[]): string[] | undefined {
  const path: string[] = [];
  for (const [position, node] of nodes.entries()) {
    if (position % 2 === 1 ? !symbol(node, '.') : !isName(node)) return undefined;
    if (position % 2 === 0) path.push((node as SqlToken).value);
  }
  return nodes.length % 2 === 1 && path.length <= 3 ? path : undefined;
}

const OTHER_OPERATORS = 'AND OR IS IN LIKE GLOB MATCH REGEXP BETWEEN NOT ISNULL NOTNULL'.split(' ');

/** Operands with `||` between them, and no other operator. */
function isConcatenation(nodes: readonly SqlNode[]): boolean {
  let found = false;
  let cases = 0;
  for (const [at, node] of nodes.entries()) {
    if (word(node, 'CASE')) cases++;
    else if (word(node, 'END')) cases--;
    else if (cases > 0) continue;
    else if (symbol(node, '|')) {
      // `||` is two tokens; a single `|` is another operator.
      if (!symbol(nodes[at - 1], '|') && !symbol(nodes[at + 1], '|')) return false;
      found = true;
    } else if (word(node, ...OTHER_OPERATORS) || (node.kind === 'symbol' && node.value !== '.')) return false;
  }
  return found;
}
