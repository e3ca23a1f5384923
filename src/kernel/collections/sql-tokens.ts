import { SqlTextError } from './sql-text.error.js';

/**
 * The lexical elements of SQL, as the database reads them. `quoted` is an identifier in `"…"`, `` `…` `` or `[…]`,
 * `text` a literal in `'…'`, and `cast` is `::` with the type after it, which only some databases take.
 */
export type SqlTokenKind = 'word' | 'quoted' | 'text' | 'number' | 'blob' | 'cast' | 'parameter' | 'symbol';

/**
 * One token of a SQL text: `value` is the word as written, the unquoted identifier or text, the symbol, or the type in
 * small letters and without its precision.
 */
export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const BLANKS = String.raw`[ \t\n\f\r]`;
const PRECISION = `${BLANKS}*\\(${BLANKS}*\\d+${BLANKS}*(?:,${BLANKS}*\\d+${BLANKS}*)?\\)`;

/** Types of several words, and all others. */
const TYPE = [
  ...['double precision', 'bit varying', 'character varying'].map(words),
  `${words('time')}(?:${words('stamp')})?(?:${PRECISION})?${words(' with')}(?:${words('out')})?${words(' time zone')}`,
  '[A-Za-z_][A-Za-z0-9_]*',
].join('|');

/**
 * A cast names a type and nothing else, so that nothing that is read can hide in it: its precision is numbers, and a
 * name that goes on with a dot, or whatever else may go on, is none.
 */
const CAST =
  `::${BLANKS}*(?:${TYPE})(?:${PRECISION})?(?:${BLANKS}*\\[${BLANKS}*\\d*${BLANKS}*\\])*` +
  String.raw`(?![A-Za-z0-9_$\u0080-\u{10FFFF}]|\s*[.(\[%])`;

/** These words in any letter case. */
function words(text: string): string {
  return text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`).replaceAll(' ', `${BLANKS}+`);
}

const TOKEN = new RegExp(
  [
    String.raw`(?<blank>[ \t\n\f\r]+|--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$))`,
    String.raw`(?<blob>[xX]'[^']*')`,
    String.raw`(?<text>'(?:[^']|'')*')`,
    '(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\\[[^\\]]*\\])',
    String.raw`(?<number>0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+\-]?\d+)?)`,
    String.raw`(?<word>[A-Za-z_\u0080-\u{10FFFF}][A-Za-z0-9_$\u0080-\u{10FFFF}]*)`,
    `(?<cast>${CAST})`,
    String.raw`(?<parameter>\?\d*|[:@#$][A-Za-z0-9_$\u0080-\u{10FFFF}]+)`,
    String.raw`(?<symbol>[\-+*/%&\|~<>=!\(\),.;])`,
  ].join('|'),
  'guy',
);

/**
 * Splits a SQL text into its tokens, comments and blanks left out. Throws SqlTextError on a character that begins no
 * token, such as an unclosed quote: what follows it would be read differently by the database.
 */
export function tokenizeSql(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let position = 0;
  for (const match of sql.matchAll(TOKEN)) {
    const [kind, text] = Object.entries(match.groups!).find(([, part]) => part !== undefined)! as [string, string];
    const end = position + text.length;
    if (kind !== 'blank') {
      tokens.push({ kind: kind as SqlTokenKind, value: tokenValue(kind, text), start: position, end });
    }
    position = end;
  }
  if (position < sql.length) throw new SqlTextError(`Unrecognised text at position ${position + 1}.`);
  return tokens;
}

function tokenValue(kind: string, text: string): string {
  if (kind === 'text') return text.slice(1, -1).replaceAll("''", "'");
  if (kind === 'cast') return typeName(text);
  if (kind !== 'quoted') return text;
  const quote = text[0]!;
  const inner = text.slice(1, -1);
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}

function typeName(cast: string): string {
  const words = cast.slice(2).replace(/\(.*?\)/s, ' ');
  return words
    .replace(/\[.*\]/s, '[]')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** True for one of these unquoted words (given in capitals), letter case aside. */
export function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.value.toUpperCase());
}

/** True for this symbol. */
export function isSymbol(token: SqlToken | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.value === symbol;
}

/** An identifier in the quotes that stored definitions use. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** A text literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * The quotes of PocketBase's query builder, and before them everything in which the same characters mean something
 * else.
 */
const BUILDER_QUOTES = new RegExp(
  [
    String.raw`--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)`,
    String.raw`'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)` + '|`(?:[^`]|``)*(?:`|$)',
    String.raw`\[\[(?<column>[^\[\]]+)\]\]|\{\{(?<table>[^{}]+)\}\}`,
    String.raw`\[[^\]]*(?:\]|$)`,
  ].join('|'),
  'g',
);

/**
 * A SQL text with the quotes of PocketBase's query builder, `{{table}}` and `[[column]]` or `[[table.column]]`, turned
 * into those of SQL. Texts, comments and names in other quotes stay as they are.
 */
export function withSqlQuotes(sql: string): string {
  if (!sql.includes('[[') && !sql.includes('{{')) return sql;
  return sql.replace(BUILDER_QUOTES, (whole: string, column?: string, table?: string) => {
    const path = column ?? table;
    if (path === undefined) return whole;
    return path
      .split('.')
      .map((name) => quoteName(name.trim()))
      .join('.');
  });
}
