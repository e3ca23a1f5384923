import { SqlTextError } from './sql-text.error.js';
import { isSymbol, isWord, type SqlToken } from './sql-tokens.js';

/** A token, or what stands between a pair of parentheses. */
export type SqlNode = SqlToken | SqlGroup;

/** What stands between a pair of parentheses. */
export interface SqlGroup {
  readonly kind: 'group';
  readonly nodes: readonly SqlNode[];
}

/** Databases refuse deeper nesting, and recursive functions over the tree must not exhaust the stack. */
const DEEPEST = 1000;

/** The tokens with what stands in parentheses nested. Throws SqlTextError when these do not match. */
export function nestTokens(tokens: readonly SqlToken[]): SqlNode[] {
  const open: SqlNode[][] = [[]];
  for (const token of tokens) {
    if (isSymbol(token, '(')) {
      if (open.push([]) > DEEPEST) throw new SqlTextError('The parentheses are nested too deeply.');
    } else if (!isSymbol(token, ')')) open.at(-1)!.push(token);
    else {
      const nodes = open.pop()!;
      if (open.length === 0) throw new SqlTextError('A parenthesis is closed that was never opened.');
      open.at(-1)!.push({ kind: 'group', nodes });
    }
  }
  if (open.length > 1) throw new SqlTextError('A parenthesis is not closed.');
  return open[0]!;
}

/** True for one of these unquoted words (given in capitals), letter case aside. */
export function word(node: SqlNode | undefined, ...words: readonly string[]): boolean {
  return node?.kind !== 'group' && isWord(node, ...words);
}

/** True for this symbol. */
export function symbol(node: SqlNode | undefined, text: string): boolean {
  return node?.kind !== 'group' && isSymbol(node, text);
}

/** A quoted text is an identifier wherever only an identifier can stand. */
export function isName(node: SqlNode | undefined): node is SqlToken {
  return node?.kind === 'word' || node?.kind === 'quoted' || node?.kind === 'text';
}

/** Whether it is a query, and not a list or an expression. */
export function isQuery(nodes: readonly SqlNode[]): boolean {
  return word(nodes[0], 'SELECT', 'WITH', 'VALUES');
}

/** A query that a WITH gives a name. */
export interface NamedQuery {
  readonly name: string;
  /** The names of its columns, where the WITH gives them. */
  readonly columns: readonly string[] | undefined;
  readonly body: readonly SqlNode[];
}

/** The queries of a WITH clause, and the position after it. */
export function readWith(nodes: readonly SqlNode[]): { queries: NamedQuery[]; end: number } {
  const queries: NamedQuery[] = [];
  let at = word(nodes[1], 'RECURSIVE') ? 2 : 1;
  for (;;) {
    const token = nodes[at++];
    if (!isName(token)) throw new SqlTextError('WITH is followed by no name.');
    const names = nodes[at];
    while (nodes[at] && !word(nodes[at], 'AS')) at++;
    at++;
    while (word(nodes[at], 'NOT', 'MATERIALIZED')) at++;
    const group = nodes[at++];
    if (group?.kind !== 'group') throw new SqlTextError('A name after WITH has no query.');
    const columns = names?.kind === 'group' ? names.nodes.filter(isName).map(({ value }) => value) : undefined;
    queries.push({ name: token.value.toLowerCase(), columns, body: group.nodes });
    if (!symbol(nodes[at], ',')) return { queries, end: at };
    at++;
  }
}

/** The SELECTs that UNION, INTERSECT and EXCEPT put together. */
export function splitCompound(select: readonly SqlNode[]): SqlNode[][] {
  const arms: SqlNode[][] = [[]];
  for (const [at, node] of select.entries()) {
    if (word(node, 'UNION', 'INTERSECT', 'EXCEPT')) arms.push([]);
    else if (!(word(node, 'ALL') && word(select[at - 1], 'UNION'))) arms.at(-1)!.push(node);
  }
  return arms;
}

/** One SELECT taken apart. */
export interface SelectClauses {
  /** The nodes of each column, aliases included. */
  readonly items: readonly (readonly SqlNode[])[];
  readonly from: readonly SqlNode[];
  readonly window: readonly SqlNode[];
  /** WHERE, GROUP BY, HAVING, ORDER BY and LIMIT, one after another. */
  readonly conditions: readonly SqlNode[];
}

const CLAUSES = ['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT'] as const;

/** Takes a SELECT apart that is no compound. */
export function selectClauses(arm: readonly SqlNode[]): SelectClauses {
  const items: SqlNode[][] = [[]];
  const from: SqlNode[] = [];
  const window: SqlNode[] = [];
  const conditions: SqlNode[] = [];
  const start = word(arm[1], 'DISTINCT', 'ALL') ? 2 : 1;
  let clause: readonly SqlNode[] | undefined;
  for (let at = start; at < arm.length; at++) {
    const node = arm[at]!;
    if (beginsClause(arm, at)) {
      clause = word(node, 'FROM') ? from : word(node, 'WINDOW') ? window : conditions;
    } else if (clause) (clause as SqlNode[]).push(node);
    else if (symbol(node, ',')) items.push([]);
    else items.at(-1)!.push(node);
  }
  return { items, from, window, conditions };
}

function beginsClause(arm: readonly SqlNode[], at: number): boolean {
  const before = arm[at - 1];
  const isPart = symbol(before, '.') || word(before, 'AS', 'WITHIN') || isDistinctFrom(arm, at);
  return word(arm[at], ...CLAUSES) && !isPart;
}

/** `a IS [NOT] DISTINCT FROM b` holds a FROM that begins no clause. */
export function isDistinctFrom(nodes: readonly SqlNode[], at: number): boolean {
  return word(nodes[at], 'FROM') && word(nodes[at - 1], 'DISTINCT') && word(nodes[at - 2], 'IS', 'NOT');
}

/** `*` or `t.*` among the columns of a SELECT. */
export function isStar(item: readonly SqlNode[]): boolean {
  return symbol(item.at(-1), '*') && (item.length === 1 || symbol(item.at(-2), '.'));
}

/** Parts between commas. */
export function splitAtCommas(nodes: readonly SqlNode[]): SqlNode[][] {
  const parts: SqlNode[][] = [[]];
  for (const node of nodes) {
    if (symbol(node, ',')) parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}

/** Words that cannot end an operand, so that a name after one is no alias. */
const OPERATORS =
  'AND OR NOT IS IN LIKE GLOB MATCH REGEXP BETWEEN ESCAPE COLLATE CASE WHEN THEN ELSE OVER FILTER AS FROM DISTINCT EXISTS'.split(
    ' ',
  );
const NO_ALIASES = ['END', 'NULL', 'ISNULL', 'NOTNULL', 'TRUE', 'FALSE'] as const;

/** A column of a SELECT without the name it is given, and that name. */
export function splitAlias(item: readonly SqlNode[]): { nodes: readonly SqlNode[]; alias?: string } {
  const last = item.at(-1);
  const before = item.at(-2);
  if (!last || !before || !isName(last)) return { nodes: item };
  if (word(before, 'AS')) return { nodes: item.slice(0, -2), alias: last.value };
  if (word(last, ...NO_ALIASES)) return { nodes: item };
  const ended = before.kind === 'word' ? !word(before, ...OPERATORS) : before.kind !== 'symbol';
  return ended ? { nodes: item.slice(0, -1), alias: last.value } : { nodes: item };
}

/** Words that cannot be the alias of an item of a FROM. */
const AFTER_SOURCE =
  'LEFT RIGHT FULL INNER CROSS OUTER NATURAL JOIN ON USING WHERE GROUP HAVING WINDOW ORDER LIMIT UNION INTERSECT EXCEPT INDEXED NOT'.split(
    ' ',
  );

/** The alias of an item of a FROM whose last node is at this position, and the position of the last node with it. */
export function sourceAlias(nodes: readonly SqlNode[], last: number): { alias?: string; last: number } {
  const at = word(nodes[last + 1], 'AS') ? last + 2 : last + 1;
  const alias = nodes[at];
  return isName(alias) && !word(alias, ...AFTER_SOURCE) ? { alias: alias.value, last: at } : { last };
}

/** A table name that begins at this position, its schema aside. */
export function tableName(nodes: readonly SqlNode[], at: number): { name: string; qualified: boolean; last: number } {
  const qualified = symbol(nodes[at + 1], '.') && isName(nodes[at + 2]);
  const last = qualified ? at + 2 : at;
  return { name: (nodes[last] as SqlToken).value, qualified, last };
}
