import { SqlTextError } from './sql-text.error.js';
import { isSymbol, isWord, quoteName, type SqlToken, tokenizeSql } from './sql-tokens.js';

/** One column of an index: a plain name, or the text of an expression. */
export interface IndexColumn {
  readonly name: string;
  readonly expression: boolean;
  readonly collate: string;
  readonly sort: '' | 'ASC' | 'DESC';
}

/** A `CREATE INDEX` statement taken apart (COL-120). */
export interface IndexDefinition {
  readonly unique: boolean;
  readonly name: string;
  readonly table: string;
  readonly columns: readonly IndexColumn[];
  /** The text after WHERE, '' when there is none. */
  readonly where: string;
}

const NOT_AN_INDEX = 'This is not a CREATE INDEX statement.';

/** Whether an index holds all rows of its table in the order of this column. */
export function ordersBy(index: IndexDefinition, column: string): boolean {
  const first = index.where === '' ? index.columns[0] : undefined;
  return !!first && !first.expression && first.collate === '' && first.name.toLowerCase() === column.toLowerCase();
}

/** Takes a `CREATE INDEX` statement apart; undefined when it is not one, or has no name or no columns. */
export function parseIndex(sql: string): IndexDefinition | undefined {
  try {
    return new IndexParser(sql).parse();
  } catch (error) {
    if (error instanceof SqlTextError) return undefined;
    throw error;
  }
}

const known = new WeakMap<readonly string[], readonly IndexDefinition[]>();

/**
 * The indexes of a collection taken apart, without texts that are none. Filters ask for them in every condition, so that
 * they are remembered with the list.
 */
export function parseIndexes(texts: readonly string[]): readonly IndexDefinition[] {
  let indexes = known.get(texts);
  if (!indexes) known.set(texts, (indexes = texts.flatMap((text) => parseIndex(text) ?? [])));
  return indexes;
}

/** The canonical text of an index (COL-121): one column inline, several one per line. */
export function printIndex(index: IndexDefinition): string {
  const columns = index.columns.map(printColumn);
  const list = columns.length === 1 ? columns[0]! : `\n  ${columns.join(',\n  ')}\n`;
  const where = index.where ? ` WHERE ${index.where}` : '';
  const unique = index.unique ? 'UNIQUE ' : '';
  return `CREATE ${unique}INDEX ${quoteName(index.name)} ON ${quoteName(index.table)} (${list})${where}`;
}

/** The statement as given when it already names this table, else its canonical form with the table's name. */
export function indexForTable(sql: string, table: string): string {
  const index = parseIndex(sql);
  if (!index || index.table === table) return sql;
  return printIndex({ ...index, table });
}

/** True when the index has this name as a plain column. */
export function indexHasColumn(index: IndexDefinition, name: string): boolean {
  return index.columns.some((column) => !column.expression && column.name.toLowerCase() === name.toLowerCase());
}

/** The only column of a unique index over one plain column; undefined for every other index. */
export function uniqueColumn(index: IndexDefinition): IndexColumn | undefined {
  const [column] = index.columns;
  return index.unique && index.columns.length === 1 && !column!.expression ? column : undefined;
}

/** The columns that have a unique index of their own among these. */
export function uniqueColumns(indexes: readonly string[]): IndexColumn[] {
  return parseIndexes(indexes).flatMap((index) => uniqueColumn(index) ?? []);
}

/** True when the index is only over rows in which this column is not empty: `WHERE name != ''`. */
export function leavesOutEmpty(index: IndexDefinition, name: string): boolean {
  if (index.where === '') return false;
  const [column, first, second, text, ...more] = tokenizeSql(index.where);
  const isColumn = column?.kind === 'word' || column?.kind === 'quoted';
  const differs = [first, second].map((token) => token?.value).join('');
  // A double-quoted text that is no column is read as a text (`executableIndex`).
  const isEmptyText = (text?.kind === 'text' || text?.kind === 'quoted') && text.value === '';
  if (!isColumn || !isEmptyText || more.length > 0 || (differs !== '!=' && differs !== '<>')) return false;
  return column.value.toLowerCase() === name.toLowerCase();
}

/** Names among these that the index is about: its plain columns, and whatever its expressions mention (COL-126). */
export function indexFields(index: IndexDefinition, names: readonly string[]): string[] {
  const mentioned = new Set<string>();
  for (const column of index.columns) {
    if (!column.expression) mentioned.add(column.name.toLowerCase());
    else for (const name of mentionedNames(column.name)) mentioned.add(name);
  }
  return names.filter((name) => mentioned.has(name.toLowerCase()));
}

/** Lower-cased identifiers in an expression or WHERE text. */
export function mentionedNames(sql: string): Set<string> {
  return new Set(
    tokenizeSql(sql)
      .filter((token) => token.kind === 'word' || token.kind === 'quoted')
      .map((token) => token.value.toLowerCase()),
  );
}

function printColumn(column: IndexColumn): string {
  const name = column.expression ? column.name : quoteName(column.name);
  const collate = column.collate ? ` COLLATE ${column.collate}` : '';
  return name + collate + (column.sort ? ` ${column.sort}` : '');
}

class IndexParser {
  private readonly tokens: SqlToken[];
  private position = 0;

  constructor(private readonly sql: string) {
    this.tokens = tokenizeSql(sql);
    while (isSymbol(this.tokens.at(-1), ';')) this.tokens.pop();
    if (this.tokens.some((token) => isSymbol(token, ';') || token.kind === 'parameter'))
      throw new SqlTextError(NOT_AN_INDEX);
  }

  parse(): IndexDefinition {
    this.require('CREATE');
    const unique = this.skip('UNIQUE');
    this.require('INDEX');
    if (this.skip('IF')) {
      this.require('NOT');
      this.require('EXISTS');
    }
    const name = this.qualifiedName();
    if (!name) throw new SqlTextError(NOT_AN_INDEX);
    this.require('ON');
    const table = this.tableName();
    const columns = this.columnRanges().map((range) => this.column(range));
    return { unique, name, table, columns, where: this.where() };
  }

  private get next(): SqlToken | undefined {
    return this.tokens[this.position];
  }

  private skip(word: string): boolean {
    const found = isWord(this.next, word);
    if (found) this.position++;
    return found;
  }

  private require(word: string): void {
    if (!this.skip(word)) throw new SqlTextError(NOT_AN_INDEX);
  }

  private identifier(): string {
    const token = this.next;
    if (!token || !isName(token)) throw new SqlTextError(NOT_AN_INDEX);
    this.position++;
    return token.value;
  }

  private qualifiedName(): string {
    const first = this.identifier();
    if (!isSymbol(this.next, '.')) return first;
    this.position++;
    return this.identifier();
  }

  /** The table may be missing or empty (COL-121). */
  private tableName(): string {
    if (isSymbol(this.next, '(')) return '';
    if (this.next?.value !== '') return this.qualifiedName();
    this.position++;
    return '';
  }

  private columnRanges(): SqlToken[][] {
    if (!isSymbol(this.next, '(')) throw new SqlTextError(NOT_AN_INDEX);
    const ranges: SqlToken[][] = [[]];
    let depth = 0;
    do {
      const token = this.next;
      if (!token) throw new SqlTextError(NOT_AN_INDEX);
      this.position++;
      if (isSymbol(token, ')')) depth--;
      if (depth === 1 && isSymbol(token, ',')) ranges.push([]);
      else if (depth > 0) ranges.at(-1)!.push(token);
      if (isSymbol(token, '(')) depth++;
    } while (depth > 0);
    return ranges;
  }

  private column(range: SqlToken[]): IndexColumn {
    const tokens = [...range];
    const sort = isWord(tokens.at(-1), 'ASC', 'DESC') ? (tokens.pop()!.value.toUpperCase() as 'ASC' | 'DESC') : '';
    let collate = '';
    if (isWord(tokens.at(-2), 'COLLATE') && isName(tokens.at(-1)!)) {
      collate = tokens.pop()!.value;
      tokens.pop();
    }
    if (tokens.length === 0) throw new SqlTextError(NOT_AN_INDEX);
    const [first] = tokens;
    if (tokens.length === 1 && isName(first!)) return { name: first!.value, expression: false, collate, sort };
    return { name: this.sql.slice(first!.start, tokens.at(-1)!.end), expression: true, collate, sort };
  }

  private where(): string {
    if (!this.next) return '';
    this.require('WHERE');
    const first = this.next;
    if (!first) throw new SqlTextError(NOT_AN_INDEX);
    return this.sql.slice(first.start, this.tokens.at(-1)!.end);
  }
}

/** A quoted text stands for an identifier where only an identifier can stand. */
function isName(token: SqlToken): boolean {
  return (token.kind === 'word' || token.kind === 'quoted' || token.kind === 'text') && token.value !== '';
}
