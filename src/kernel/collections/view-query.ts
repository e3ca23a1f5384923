import { SqlTextError } from './sql-text.error.js';
import { isSymbol, isWord, quoteName, quoteText, type SqlToken, tokenizeSql } from './sql-tokens.js';
import {
  isDistinctFrom,
  isName,
  isQuery,
  isStar,
  nestTokens,
  readWith,
  selectClauses,
  sourceAlias,
  splitCompound,
  symbol,
  tableName,
  word,
  type SqlGroup,
  type SqlNode,
} from './sql-tree.js';

/** A parsed view query. The names of its columns come from the database; this says only what they are made of. */
export interface ViewQuery {
  /**
   * The SELECT without comments around it and without closing semicolons. Names stand in backticks: some builds of
   * SQL databases take a name in double quotes for a text as soon as there is no such column.
   */
  readonly select: string;
  /** The same, for following its columns to where they come from. */
  readonly tree: readonly SqlNode[];
  /** Every table and view that is read anywhere in the query, as written. */
  readonly tables: readonly string[];
}

/**
 * Takes a view query apart (COL-131). Throws SqlTextError unless it is one single SELECT, possibly with a WITH before
 * it or in parentheses, without parameters and without `*` among the columns of the outermost SELECT.
 */
export function parseViewQuery(sql: string): ViewQuery {
  const tokens = statementTokens(sql);
  const tree = nestTokens(tokens);
  const reader = new TableReader();
  reader.statement(tree, new Set());
  if (outermostSelects(tree).some((select) => selectClauses(select).items.some(isStar))) {
    throw new SqlTextError('The columns of a view have to be named one by one, * is not possible.');
  }
  return { select: withBacktickedNames(sql, tokens), tree, tables: [...new Set(reader.tables)] };
}

/**
 * The query with this double-quoted name as a text wherever a text can stand; undefined when it occurs nowhere. SQLite
 * reads a double-quoted name as a text when there is no such column, and many views rely on that.
 */
export function withTextForName(sql: string, name: string): string | undefined {
  const tokens = tokenizeSql(sql);
  let changed = '';
  let position = 0;
  for (const [index, { kind, value, start, end }] of tokens.entries()) {
    if (kind !== 'quoted' || value !== name || sql[start] !== '"') continue;
    const isPartOfPath = isSymbol(tokens[index - 1], '.') || isSymbol(tokens[index + 1], '.');
    if (isPartOfPath || isWord(tokens[index - 1], 'AS', 'FROM', 'JOIN')) continue;
    changed += sql.slice(position, start) + quoteText(value);
    position = end;
  }
  return position === 0 ? undefined : changed + sql.slice(position);
}

function withBacktickedNames(sql: string, tokens: readonly SqlToken[]): string {
  let select = '';
  let position = tokens[0]!.start;
  for (const token of tokens) {
    if (token.kind !== 'quoted' || sql[token.start] !== '"') continue;
    select += sql.slice(position, token.start) + quoteName(token.value);
    position = token.end;
  }
  return select + sql.slice(position, tokens.at(-1)!.end);
}

/** Every identifier that occurs in the query, lower-cased: a superset of the names it depends on. */
export function viewQueryNames(sql: string): Set<string> {
  try {
    return new Set(
      tokenizeSql(sql)
        .filter(isName)
        .map((token) => token.value.toLowerCase()),
    );
  } catch {
    return new Set();
  }
}

const ASKS_CLOCK_OR_CHANCE = new RegExp(
  [
    String.raw`\b(?:current_(?:date|time|timestamp)|random|randomblob)\b`,
    String.raw`\b(?:date|time|datetime|julianday|unixepoch|now)\s*\(\s*\)`,
    String.raw`\bstrftime\s*\(\s*(?:'[^']*'|"[^"]*")\s*\)`,
    String.raw`['"](?:now|subsec|subsecond)['"]`,
  ].join('|'),
  'i',
);

/** Whether the query may give other rows without a write, because it uses the time or random values. */
export function changesByItself(sql: string): boolean {
  return ASKS_CLOCK_OR_CHANCE.test(sql);
}

function statementTokens(sql: string): SqlToken[] {
  const tokens = tokenizeSql(sql);
  while (isSymbol(tokens.at(-1), ';')) tokens.pop();
  if (tokens.some((token) => isSymbol(token, ';'))) throw new SqlTextError('Only one statement is possible.');
  if (tokens.some((token) => token.kind === 'parameter')) throw new SqlTextError('Parameters are not possible.');
  return tokens;
}

/** The SELECTs that decide the columns. */
function outermostSelects(tree: readonly SqlNode[]): SqlNode[][] {
  let nodes = tree;
  for (;;) {
    const [first] = nodes;
    if (first?.kind === 'group' && nodes.length === 1) nodes = first.nodes;
    else if (word(first, 'WITH')) nodes = nodes.slice(readWith(nodes).end);
    else if (word(first, 'SELECT')) return splitCompound(nodes);
    else throw new SqlTextError('The query has to be a SELECT.');
  }
}

const ENDS_FROM = ['WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT', 'UNION', 'INTERSECT', 'EXCEPT'] as const;

/** Walks a statement and notes the tables it reads: whatever stands where the grammar expects a table. */
class TableReader {
  readonly tables: string[] = [];

  /** Reads a SELECT, an expression or the like; `names` are those of enclosing WITH clauses. */
  statement(nodes: readonly SqlNode[], names: ReadonlySet<string>): void {
    if (!word(nodes[0], 'WITH')) return this.walk(nodes, names, false);
    const { queries, end } = readWith(nodes);
    const inner = new Set([...names, ...queries.map(({ name }) => name)]);
    for (const { body } of queries) this.statement(body, inner);
    this.walk(nodes.slice(end), inner, false);
  }

  private walk(nodes: readonly SqlNode[], names: ReadonlySet<string>, startsInFrom: boolean): void {
    let inFrom = startsInFrom;
    let expectsTable = startsInFrom;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (expectsTable && (node.kind === 'group' || isName(node))) {
        at = this.source(nodes, at, names);
        expectsTable = false;
      } else if (node.kind === 'group') this.statement(node.nodes, names);
      else if (word(node, 'FROM') && !isDistinctFrom(nodes, at)) inFrom = expectsTable = true;
      else if (word(node, 'JOIN') || (inFrom && symbol(node, ','))) expectsTable = true;
      else if (word(node, ...ENDS_FROM)) inFrom = expectsTable = false;
      else if (word(node, 'IN') && isName(nodes[at + 1])) at = this.table(nodes, at + 1, names);
    }
  }

  /** Reads one item of a FROM and gives the position of its last node. */
  private source(nodes: readonly SqlNode[], at: number, names: ReadonlySet<string>): number {
    const node = nodes[at]!;
    if (node.kind !== 'group') {
      const last = this.table(nodes, at, names);
      return sourceAlias(nodes, nodes[last + 1]?.kind === 'group' ? this.args(nodes, last + 1, names) : last).last;
    }
    if (isQuery(node.nodes)) this.statement(node.nodes, names);
    else this.walk(node.nodes, names, true);
    return sourceAlias(nodes, at).last;
  }

  private args(nodes: readonly SqlNode[], at: number, names: ReadonlySet<string>): number {
    this.statement((nodes[at] as SqlGroup).nodes, names);
    return at;
  }

  /** Reads a table name, which may be that of a WITH or of a table function. Gives the position of its last node. */
  private table(nodes: readonly SqlNode[], at: number, names: ReadonlySet<string>): number {
    const { name, qualified, last } = tableName(nodes, at);
    const isTable = nodes[last + 1]?.kind !== 'group' && (qualified || !names.has(name.toLowerCase()));
    if (isTable) this.tables.push(name);
    return last;
  }
}
