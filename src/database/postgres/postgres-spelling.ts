import { parseIndex, type IndexColumn } from '../../kernel/collections/index-definition.js';
import { isSymbol, isWord, type SqlToken, tokenizeSql } from '../../kernel/collections/sql-tokens.js';
import { isOnlyName } from '../../kernel/collections/sql-words.js';
import { isTooLong, storedName } from '../../kernel/sql/postgres-names.js';
import { DatabaseError } from '../database.error.js';

/** An identifier, ready to be put into a statement: in the form that the database has it in. */
export function quoteName(name: string): string {
  return `"${storedName(name).replaceAll('"', '""')}"`;
}

/** Words that PostgreSQL reads in its own way where other databases see the name of a column. */
const RESERVED = new Set(
  `ANALYSE ARRAY ASYMMETRIC AUTHORIZATION BINARY BOTH CONCURRENTLY CURRENT_CATALOG CURRENT_ROLE CURRENT_SCHEMA CURRENT_USER
  FETCH FREEZE GRANT ILIKE LATERAL LEADING LOCALTIME LOCALTIMESTAMP ONLY OVERLAPS PLACING SESSION_USER SIMILAR SOME SYMMETRIC
  TABLESAMPLE TRAILING USER VARIADIC VERBOSE`.split(/\s+/),
);

/** What may be called on these words in PostgreSQL, and so may stand in a query that is written for it. */
const OF_POSTGRES = new Set(['ARRAY', 'ILIKE', 'LATERAL', 'SIMILAR', 'BOTH', 'LEADING', 'TRAILING', 'ONLY', 'SOME']);

/**
 * A query or an expression that people write, in PostgreSQL's spelling: names in whatever quotes stand in double ones,
 * and names with large and small letters are quoted, because all others are read as if they were small.
 */
export function respell(sql: string): string {
  const tokens = tokenizeSql(sql);
  requireReadAlike(sql, tokens);
  let text = '';
  let position = 0;
  for (const [index, token] of tokens.entries()) {
    if (!needsQuotes(token, tokens, index)) continue;
    text += sql.slice(position, token.start) + quoteName(nameOf(token));
    position = token.end;
  }
  return text + sql.slice(position);
}

/** Comments that end later for PostgreSQL than elsewhere, because another one begins in them, or earlier. */
const NESTED = /\/\*(?:[^*]|\*(?!\/))*\/\*/;
const ENDS_EARLY = /--[^\n]*\r[^\n]/;

/**
 * Throws a DatabaseError where PostgreSQL would see other texts and comments than those who look for what a query reads
 * (COL-134).
 */
function requireReadAlike(sql: string, tokens: readonly SqlToken[]): void {
  let position = 0;
  for (const [index, token] of tokens.entries()) {
    requirePlainComments(sql.slice(position, token.start));
    const next = tokens[index + 1];
    if (isWord(token, 'E') && next?.kind === 'text' && next.start === token.end)
      throw new DatabaseError('refused', "A text with backslashes (E'…') is not possible here.");
    position = token.end;
  }
  requirePlainComments(sql.slice(position));
}

function requirePlainComments(between: string): void {
  if (NESTED.test(between)) throw new DatabaseError('refused', 'A comment in another one is not possible here.');
  if (ENDS_EARLY.test(between))
    throw new DatabaseError('refused', 'A comment after -- has to end with the line, and a line with \\n.');
}

/** Texts, names in quotes and comments, in which a question mark is one, and those that stand for a value. */
const QUESTION_MARKS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\?/g;

/**
 * A statement with `$1`, `$2` … in the place of `?`. One that numbers its values itself has question marks as
 * operators.
 */
export function numberPlaceholders(sql: string): string {
  if (/\$\d/.test(sql)) return sql;
  let place = 0;
  return sql.replace(QUESTION_MARKS, (found) => (found === '?' ? `$${++place}` : found));
}

function needsQuotes(token: SqlToken, tokens: readonly SqlToken[], index: number): boolean {
  if (token.kind === 'quoted') return true;
  if (token.kind !== 'word' || !isOnlyName(token)) return false;
  if (isStoredOtherwise(nameOf(token))) return true;
  const next = tokens[index + 1];
  if (isSymbol(next, '(')) return false;
  // A type, as in CAST(x AS Integer).
  if (isWord(tokens[index - 1], 'AS') && isSymbol(next, ')')) return false;
  const upper = token.value.toUpperCase();
  if (RESERVED.has(upper)) return !OF_POSTGRES.has(upper);
  return token.value !== upper && token.value !== token.value.toLowerCase();
}

/**
 * A name that the database has in another form is folded here: in capitals and outside of quotes it is one in small
 * letters.
 */
function nameOf({ kind, value }: SqlToken): string {
  const small = value.toLowerCase();
  return kind === 'word' && value === value.toUpperCase() && isStoredOtherwise(small) ? small : value;
}

function isStoredOtherwise(name: string): boolean {
  return storedName(name) !== name;
}

/** Texts and comments, names in quotes, and words. */
const NAMES =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|--[^\n]*|\/\*[^]*?\*\/|"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/g;

/** A statement of PostgreSQL with the names that are too long for it in the form that it has them in. */
export function withStoredNames(sql: string): string {
  return sql.replace(NAMES, (found) => {
    if (/^(?:[eE]?'|--|\/\*)/.test(found)) return found;
    const name = found.startsWith('"') ? found.slice(1, -1).replaceAll('""', '"') : found.toLowerCase();
    return isTooLong(name) ? quoteName(name) : found;
  });
}

/**
 * The statement of an index as people write it; one that cannot be read is the database's to refuse. `buildName` is the
 * name under which it is built while others write.
 */
export function createIndex(sql: string, buildName?: string): string {
  const index = parseIndex(sql);
  if (!index) return sql;
  const { unique, table, columns, where } = index;
  const name = (buildName === undefined ? '' : 'CONCURRENTLY ') + quoteName(buildName ?? index.name);
  const list = columns.map(indexColumn).join(', ');
  const condition = where ? ` WHERE ${respell(where)}` : '';
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${quoteName(table)} (${list})${condition}`;
}

/** NOCASE is spelled as the compiler spells the comparison that is to use the index. */
function indexColumn({ name, expression, collate, sort }: IndexColumn): string {
  const value = expression ? `(${respell(name)})` : quoteName(name);
  const order = sort ? ` ${sort}` : '';
  switch (collate.toUpperCase()) {
    case 'NOCASE':
      return `(LOWER(${value} COLLATE "C"))${order}`;
    case 'RTRIM':
      return `(rtrim(${value}))${order}`;
    case 'BINARY':
    case '':
      return value + order;
    default:
      return `${value} COLLATE ${quoteName(collate)}${order}`;
  }
}
