import { LONGEST_PATTERN } from './longest-pattern.js';
import { SqlCompiler } from './sql-compiler.js';
import type { SqlFunction, SqlNode, SqlOrder, SqlSelect, SqlType } from './sql-node.js';
import { column, compare } from './sql.js';

const OPERATORS = { '=': '=', '>': '>', '>=': '>=', '<': '<', '<=': '<=', is: 'IS', isNot: 'IS NOT' } as const;

/** Types whose columns convert what is compared with them; the others hold texts that must stay as they are. */
const CAST_TYPES: Partial<Readonly<Record<SqlType, string>>> = { text: 'TEXT', number: 'NUMERIC', boolean: 'NUMERIC' };

/** SQLite. Comparisons need no types here, since values carry their own. */
export class SqliteCompiler extends SqlCompiler {
  protected override placeholder(): string {
    return '?';
  }

  // A field may be called rowid or oid and would be meant instead; this name is reserved (COL-28).
  protected override rowid(alias: string): string {
    return `${this.quote(alias)}._rowid_`;
  }

  protected override listItem({ list, index }: Extract<SqlNode, { kind: 'listItem' }>): string {
    return `json_extract(${this.node(list)}, '$[${index}]')`;
  }

  protected override call(name: SqlFunction, args: readonly SqlNode[]): string {
    const list = () => args.map((arg) => this.node(arg)).join(', ');
    switch (name) {
      case 'containing':
        return this.containing(args[0]!);
      case 'jsonValue':
        return `json_extract(${this.document(args[0]!)}, ${this.node(args[1]!)})`;
      case 'jsonLength':
        return `COALESCE(json_array_length(${this.document(args[0]!)}, ${this.node(args[1]!)}), 0)`;
      case 'arrayLength':
        return `json_array_length(${this.array(args[0]!)})`;
      case 'hour':
        // Spelled as in the index of the log.
        return `substr(${this.node(args[0]!)}, 1, 13)`;
      case 'byteLength':
        return `octet_length(${list()})`;
      case 'geoDistance':
        return this.geoDistance(args);
      case 'strftime':
        return `strftime(${list()})`;
      case 'plus':
        return `(${this.node(args[0]!)} + ${this.node(args[1]!)})`;
      case 'times':
        return `(${this.node(args[0]!)} * ${this.node(args[1]!)})`;
      case 'dividedBy':
        return `(${this.node(args[0]!)} * 1.0 / ${this.node(args[1]!)})`;
      case 'count':
        return `COUNT(${args.length ? list() : '*'})`;
      default:
        return `${name.toUpperCase()}(${list()})`;
    }
  }

  /** NULL for what is too long: LIKE fails on a pattern that has more bytes, with the whole statement. */
  private containing(text: SqlNode): string {
    const pattern = () => `'%' || ${this.node(text)} || '%'`;
    if (text.kind === 'param') return `(${pattern()})`;
    const limit = LONGEST_PATTERN - '%%'.length;
    return `(CASE WHEN octet_length(${this.node(text)}) <= ${limit} THEN ${pattern()} END)`;
  }

  protected override compare({ operator, left, right }: Extract<SqlNode, { kind: 'compare' }>): string {
    return `(${this.node(left)} ${OPERATORS[operator]} ${this.node(right)})`;
  }

  protected override sameText(left: SqlNode, right: SqlNode): string {
    return `(${this.node(left)} = ${this.node(right)} COLLATE NOCASE)`;
  }

  protected override like({ negated, value, pattern }: Extract<SqlNode, { kind: 'like' }>): string {
    return `(${this.node(value)} ${negated ? 'NOT LIKE' : 'LIKE'} ${this.node(pattern)} ESCAPE '\\')`;
  }

  /** The kind of a column decides how SQLite converts values; a cast keeps that kind where there is no table. */
  protected override cast({ value, type }: Extract<SqlNode, { kind: 'cast' }>): string {
    const name = CAST_TYPES[type];
    return name ? `CAST(${this.node(value)} AS ${name})` : this.node(value);
  }

  protected override items(of: SqlNode, as: string): string {
    return `json_each(${this.list(of)}) AS ${as}`;
  }

  protected override orderTerm({ value, descending }: SqlOrder): string {
    return this.node(value) + (descending ? ' DESC' : '');
  }

  protected override select(select: SqlSelect): string {
    return super.select(isPageOfMany(select) ? rowsOfPage(select) : select);
  }

  /**
   * With three sort terms SQLite sorts the whole table, although an index on the first one gives the rows in groups, of
   * which a page needs the first ones. It uses the index when the first term has a bound, so a bound that every row
   * meets is added.
   */
  protected override condition(select: SqlSelect): string {
    const condition = super.condition(select);
    const { from, order = [], limit } = select;
    const [first] = order;
    if (!from || !first?.isIndexed || order.length < 3 || limit === undefined) return condition;
    const value = this.node(first.value);
    const [operator, last] = first.descending ? ['>=', 'MIN'] : ['<=', 'MAX'];
    const limited = `(${value} ${operator} (SELECT ${last}(${value}) FROM ${this.source(from)}))`;
    return condition === '' ? limited : `${condition} AND ${limited}`;
  }

  private list(of: SqlNode): string {
    if (of.kind === 'param' || of.kind === 'listItem') return this.node(of);
    if (of.kind !== 'call' || of.name !== 'jsonValue') return this.array(of);
    const [document, path] = of.args as [SqlNode, SqlNode];
    const type = `json_type(${this.document(document)}, ${this.node(path)})`;
    return `CASE WHEN ${type} = 'array' THEN ${this.node(of)} ELSE json_array(${this.node(of)}) END`;
  }

  // json_valid holds for a text of digits only, which is an id and no array.
  private array(of: SqlNode): string {
    const x = () => this.node(of);
    const single = `WHEN ${x()} <> '' THEN json_array(${x()}) ELSE '[]' END`;
    return `CASE WHEN json_valid(${x()}) AND json_type(${x()}) = 'array' THEN ${x()} ${single}`;
  }

  /** The column as JSON; views and other tools may have put plain text there. */
  private document(value: SqlNode): string {
    const x = () => this.node(value);
    return `CASE WHEN json_valid(${x()}) THEN ${x()} ELSE json_quote(${x()}) END`;
  }

  /** The distance; rounding may make the cosine of equal points slightly more than 1, so it is limited. */
  private geoDistance(args: readonly SqlNode[]): string {
    const [lonA, latA, lonB, latB] = args.map((arg) => () => `radians(${this.node(arg)})`) as (() => string)[];
    const same = `${lonA!()} = ${lonB!()} AND ${latA!()} = ${latB!()}`;
    const cosine = `cos(${latA!()}) * cos(${latB!()}) * cos(${lonB!()} - ${lonA!()}) + sin(${latA!()}) * sin(${latB!()})`;
    return `CASE WHEN ${same} THEN 0 ELSE 6371 * acos(max(-1.0, min(1.0, ${cosine}))) END`;
  }
}

type PageOfMany = SqlSelect & Required<Pick<SqlSelect, 'from' | 'order' | 'limit'>>;

/** Names of the row numbers of a page, and of what finds them. */
const FOUND = 'found rows';
const PLACE = 'place';

/**
 * Whether it is a page for which SQLite would sort many rows of a table that are not on it: those of an index that are equal
 * in the first term, or without an index, behind the first page, all that come before it. Equal ones are in the order of
 * insertion, which is all that an ascending term of an index has behind it.
 */
function isPageOfMany(select: SqlSelect): select is PageOfMany {
  const { columns, from, joins, groupBy, order = [], limit, offset } = select;
  if (columns.length < 2 || from?.kind !== 'table' || joins || groupBy || limit === undefined) return false;
  const isColumn = ({ value }: SqlOrder) => value.kind === 'column' || value.kind === 'rowid';
  if (!order.every(isColumn)) return false;
  const [first] = order;
  if (first?.isIndexed) return first.descending || order.length > 2;
  return offset !== undefined && order.length > 1 && order.at(-1)!.value.kind === 'rowid';
}

/**
 * The same page by its row numbers. What SQLite sorts are whole rows; a number is sorted in a fraction of the time and the
 * memory, and only the rows of the page are read.
 */
function rowsOfPage({ columns, from, where, order, limit, offset }: PageOfMany): SqlSelect {
  const rowid: SqlNode = { kind: 'rowid', alias: from.as };
  const numbers: SqlSelect = {
    kind: 'select',
    columns: [{ value: rowid, as: PLACE }],
    from,
    where,
    order,
    limit,
    offset,
  };
  return {
    kind: 'select',
    columns,
    from: { kind: 'query', query: numbers, as: FOUND },
    joins: [{ kind: 'cross', source: from }],
    where: compare(rowid, '=', column(FOUND, PLACE, 'number')),
    order,
  };
}
