import { SqlTextError } from './sql-text.error.js';
import { isSymbol, isWord, quoteName, quoteText, type SqlToken, tokenizeSql } from './sql-tokens.js';

/** What one column of a view's outermost SELECT is made of, as far as its field type depends on it (COL-133). */
export type ViewColumnOrigin =
  | { readonly kind: 'reference'; readonly table: string | undefined; readonly column: string }
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'cast'; readonly type: string }
  | { readonly kind: 'expression' };

/** One item of the outermost FROM: a table or view by name, or something without a name of its own (`table` ''). */
export interface ViewSource {
  readonly table: string;
  readonly alias: string;
}

/** A view query taken apart. What a column is called is the database's to say; here is only where it comes from. */
export interface ViewQuery {
  /**
   * The SELECT without comments around it and without closing semicolons. Names stand in backticks: some builds of
   * SQL databases take a name in double quotes for a text as soon as there is no such column.
   */
  readonly select: string;
  readonly columns: readonly ViewColumnOrigin[];
  readonly sources: readonly ViewSource[];
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
  reader.statement(tree, NO_NAMES);
  const { select, withNames } = outermostSelect(tree);
  const arms = splitCompound(select);
  if (arms.some((arm) => selectItems(arm).some(isStar))) {
    throw new SqlTextError('The columns of a view have to be named one by one, * is not possible.');
  }
  const outermost = new TableReader();
  outermost.statement(arms[0]!, withNames);
  return {
    select: withBacktickedNames(sql, tokens),
    columns: selectItems(arms[0]!).map(columnOrigin),
    sources: outermost.sources,
    tables: [...new Set(reader.tables)],
  };
}

/**
 * The query with this name as a text wherever it stands in double quotes and a text can stand; undefined when it does
 * nowhere. SQLite takes a name in double quotes for a text where there is no such column, and many views rely on it.
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

/** May the query give other rows although nothing was written? It does when it asks for the time or for chance. */
export function changesByItself(sql: string): boolean {
  return ASKS_CLOCK_OR_CHANCE.test(sql);
}

/** A token, or what stands between a pair of parentheses. */
type Node = SqlToken | Group;
interface Group {
  readonly kind: 'group';
  readonly nodes: readonly Node[];
}

/** Databases stop at about this depth, and what walks the tree must not run out of stack. */
const DEEPEST = 1000;

const NO_NAMES: ReadonlySet<string> = new Set();

function statementTokens(sql: string): SqlToken[] {
  const tokens = tokenizeSql(sql);
  while (isSymbol(tokens.at(-1), ';')) tokens.pop();
  if (tokens.some((token) => isSymbol(token, ';'))) throw new SqlTextError('Only one statement is possible.');
  if (tokens.some((token) => token.kind === 'parameter')) throw new SqlTextError('Parameters are not possible.');
  return tokens;
}

function nestTokens(tokens: readonly SqlToken[]): Node[] {
  const open: Node[][] = [[]];
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

/** The nodes from the SELECT that decides the columns, and the names a WITH before it introduces. */
function outermostSelect(tree: readonly Node[]): { select: readonly Node[]; withNames: ReadonlySet<string> } {
  let nodes = tree;
  let withNames = NO_NAMES;
  for (;;) {
    const [first] = nodes;
    if (first?.kind === 'group' && nodes.length === 1) nodes = first.nodes;
    else if (word(first, 'WITH')) {
      const names = new Set(withNames);
      nodes = nodes.slice(skipWith(nodes, (name) => names.add(name)));
      withNames = names;
    } else if (word(first, 'SELECT')) return { select: nodes, withNames };
    else throw new SqlTextError('The query has to be a SELECT.');
  }
}

/** Position after a WITH clause. */
function skipWith(
  nodes: readonly Node[],
  name: (name: string) => void,
  body?: (nodes: readonly Node[]) => void,
): number {
  let at = word(nodes[1], 'RECURSIVE') ? 2 : 1;
  for (;;) {
    const token = nodes[at++];
    if (!token || !isName(token)) throw new SqlTextError('WITH is followed by no name.');
    name(token.value.toLowerCase());
    while (nodes[at] && !word(nodes[at], 'AS')) at++;
    at++;
    while (word(nodes[at], 'NOT', 'MATERIALIZED')) at++;
    const group = nodes[at++];
    if (group?.kind !== 'group') throw new SqlTextError('A name after WITH has no query.');
    body?.(group.nodes);
    if (!symbol(nodes[at], ',')) return at;
    at++;
  }
}

function splitCompound(select: readonly Node[]): Node[][] {
  const arms: Node[][] = [[]];
  for (const node of select) {
    if (word(node, 'UNION', 'INTERSECT', 'EXCEPT')) arms.push([]);
    else arms.at(-1)!.push(node);
  }
  return arms;
}

const AFTER_ITEMS = ['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT'] as const;

/** The nodes of each column of one SELECT, aliases included. */
function selectItems(arm: readonly Node[]): Node[][] {
  const start = arm.findIndex((node) => word(node, 'SELECT')) + 1;
  const items: Node[][] = [[]];
  for (let at = start; at < arm.length; at++) {
    const node = arm[at]!;
    if (at === start && word(node, 'DISTINCT', 'ALL')) continue;
    if (word(node, ...AFTER_ITEMS) && !isDistinctFrom(arm, at)) break;
    if (symbol(node, ',')) items.push([]);
    else items.at(-1)!.push(node);
  }
  return items;
}

/** `a IS [NOT] DISTINCT FROM b` holds a FROM that begins no clause. */
function isDistinctFrom(nodes: readonly Node[], at: number): boolean {
  return word(nodes[at], 'FROM') && word(nodes[at - 1], 'DISTINCT') && word(nodes[at - 2], 'IS', 'NOT');
}

function isStar(item: readonly Node[]): boolean {
  return symbol(item.at(-1), '*') && (item.length === 1 || symbol(item.at(-2), '.'));
}

function columnOrigin(item: readonly Node[]): ViewColumnOrigin {
  const nodes = withoutAlias(item);
  const [first, second] = nodes;
  if (second?.kind === 'group' && first && isName(first)) return callOrigin(first.value.toLowerCase(), second, nodes);
  const path = namePath(nodes);
  if (!path) return { kind: 'expression' };
  return { kind: 'reference', table: path.at(-2), column: path.at(-1)! };
}

function callOrigin(name: string, args: Group, nodes: readonly Node[]): ViewColumnOrigin {
  const whole = nodes.length === 2 || word(nodes[2], 'FILTER', 'OVER');
  if (!whole || nodes.some((node) => node.kind === 'symbol')) return { kind: 'expression' };
  if (name !== 'cast') return { kind: 'call', name };
  const as = args.nodes.findLastIndex((node) => word(node, 'AS'));
  const type = args.nodes[as + 1];
  if (as < 0 || type?.kind !== 'word' || args.nodes.slice(as + 2).some((node) => node.kind !== 'group')) {
    return { kind: 'expression' };
  }
  return { kind: 'cast', type: type.value.toLowerCase() };
}

/** Words that cannot end an operand, so that a name after one is no alias. */
const OPERATORS =
  'AND OR NOT IS IN LIKE GLOB MATCH REGEXP BETWEEN ESCAPE COLLATE CASE WHEN THEN ELSE OVER FILTER AS FROM DISTINCT EXISTS'.split(
    ' ',
  );
const NO_ALIASES = ['END', 'NULL', 'ISNULL', 'NOTNULL', 'TRUE', 'FALSE'] as const;

function withoutAlias(item: readonly Node[]): readonly Node[] {
  const last = item.at(-1);
  const before = item.at(-2);
  if (!last || !before || !isName(last)) return item;
  if (word(before, 'AS')) return item.slice(0, -2);
  if (word(last, ...NO_ALIASES)) return item;
  const ended = before.kind === 'word' ? !word(before, ...OPERATORS) : before.kind !== 'symbol';
  return ended ? item.slice(0, -1) : item;
}

/** `a`, `t.a` or `schema.t.a` as a list of names. */
function namePath(nodes: readonly Node[]): string[] | undefined {
  const path: string[] = [];
  for (const [position, node] of nodes.entries()) {
    if (position % 2 === 1 ? !symbol(node, '.') : !isColumnName(node)) return undefined;
    if (position % 2 === 0) path.push((node as SqlToken).value);
  }
  return nodes.length % 2 === 1 && path.length <= 3 ? path : undefined;
}

function isColumnName(node: Node): boolean {
  return (node.kind === 'word' && !word(node, 'NULL', 'TRUE', 'FALSE')) || node.kind === 'quoted';
}

const JOIN_WORDS = ['LEFT', 'RIGHT', 'FULL', 'INNER', 'CROSS', 'OUTER', 'NATURAL', 'JOIN', 'ON', 'USING'] as const;
const ENDS_FROM = ['WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT', 'UNION', 'INTERSECT', 'EXCEPT'] as const;

/** Walks a statement and notes the tables it reads: whatever stands where the grammar expects a table. */
class TableReader {
  /** All tables read, at every depth. */
  readonly tables: string[] = [];
  /** The items of the FROM of the statement itself. */
  readonly sources: ViewSource[] = [];
  private depth = 0;

  /** Reads a SELECT, an expression or the like; `names` are those of enclosing WITH clauses. */
  statement(nodes: readonly Node[], names: ReadonlySet<string>): void {
    let scope = names;
    let at = 0;
    if (word(nodes[0], 'WITH')) {
      const own = new Set(names);
      const bodies: (readonly Node[])[] = [];
      at = skipWith(
        nodes,
        (name) => own.add(name),
        (body) => bodies.push(body),
      );
      for (const body of bodies) this.nested(() => this.statement(body, own));
      scope = own;
    }
    this.walk(nodes.slice(at), scope, false);
  }

  private walk(nodes: readonly Node[], names: ReadonlySet<string>, startsInFrom: boolean): void {
    let inFrom = startsInFrom;
    let expectsTable = startsInFrom;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (expectsTable && (node.kind === 'group' || isName(node))) {
        at = this.source(nodes, at, names);
        expectsTable = false;
      } else if (node.kind === 'group') this.nested(() => this.statement(node.nodes, names));
      else if (word(node, 'FROM') && !isDistinctFrom(nodes, at)) inFrom = expectsTable = true;
      else if (word(node, 'JOIN') || (inFrom && symbol(node, ','))) expectsTable = true;
      else if (word(node, ...ENDS_FROM)) inFrom = expectsTable = false;
      else if (word(node, 'IN') && nodes[at + 1] && isName(nodes[at + 1]!)) at = this.table(nodes, at + 1, names).last;
    }
  }

  /** Reads one item of a FROM and gives the position of its last node. */
  private source(nodes: readonly Node[], at: number, names: ReadonlySet<string>): number {
    const node = nodes[at]!;
    if (node.kind === 'group') {
      const joins = !word(node.nodes[0], 'SELECT', 'WITH', 'VALUES');
      if (joins) this.walk(node.nodes, names, true);
      else this.nested(() => this.statement(node.nodes, names));
      if (joins) return at;
      return this.aliased(nodes, at, '', names);
    }
    const { name, last } = this.table(nodes, at, names);
    return this.aliased(nodes, last, name, names);
  }

  /** Reads a table name, which may be that of a WITH or of a table function and then counts as none. */
  private table(nodes: readonly Node[], at: number, names: ReadonlySet<string>): { name: string; last: number } {
    const qualified = symbol(nodes[at + 1], '.') && nodes[at + 2] !== undefined && isName(nodes[at + 2]!);
    const last = qualified ? at + 2 : at;
    const name = (nodes[last] as SqlToken).value;
    const isTable = nodes[last + 1]?.kind !== 'group' && (qualified || !names.has(name.toLowerCase()));
    if (isTable) this.tables.push(name);
    return { name: isTable ? name : '', last };
  }

  private aliased(nodes: readonly Node[], last: number, table: string, names: ReadonlySet<string>): number {
    let at = last;
    const args = nodes[at + 1];
    if (args?.kind === 'group') {
      this.nested(() => this.statement(args.nodes, names));
      at++;
    }
    const next = nodes[at + 1];
    const named = word(next, 'AS') ? at + 2 : at + 1;
    const alias = nodes[named];
    const has = alias && isName(alias) && !word(alias, ...JOIN_WORDS, ...ENDS_FROM, 'INDEXED', 'NOT');
    if (this.depth === 0) this.sources.push({ table, alias: has ? (alias as SqlToken).value : table });
    return has ? named : at;
  }

  private nested(read: () => void): void {
    this.depth++;
    read();
    this.depth--;
  }
}

function word(node: Node | undefined, ...words: readonly string[]): boolean {
  return node?.kind !== 'group' && isWord(node, ...words);
}

function symbol(node: Node | undefined, text: string): boolean {
  return node?.kind !== 'group' && isSymbol(node, text);
}

/** A quoted text is an identifier wherever only an identifier can stand. */
function isName(node: Node): node is SqlToken {
  return node.kind === 'word' || node.kind === 'quoted' || node.kind === 'text';
}
