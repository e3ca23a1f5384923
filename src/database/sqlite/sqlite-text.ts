import { DatabaseError } from '../database.error.js';

/** A piece of SQL: a bare word in upper case, one symbol, or a quoted thing whose text is of no interest. */
interface SqlToken {
  readonly kind: 'word' | 'symbol' | 'quoted';
  readonly text: string;
  readonly end: number;
}

/** What a statement does, as far as its text tells. */
export type StatementKind = 'read' | 'write' | 'schema' | 'transaction' | 'empty';

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '`': '`', '[': ']' };
const WORD = /[A-Za-z0-9_$\u0080-\uffff]+/y;
const TRANSACTION_WORDS: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE']);
const CHANGE_WORDS: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE']);
const SCHEMA_WORDS: ReadonlySet<string> = new Set(['CREATE', 'DROP', 'ALTER', 'REINDEX', 'ANALYZE', 'VACUUM']);
/** Pragmas that only report although they take an argument. */
const REPORTING_PRAGMA = /_(INFO|XINFO|LIST)$|^(QUICK|INTEGRITY|FOREIGN_KEY)_CHECK$/;

/**
 * Whether a statement reads, changes rows, changes the schema, or controls a transaction. Comments before the first
 * word are skipped.
 */
export function statementKind(sql: string): StatementKind {
  const first = firstWord(sql);
  if (first === undefined) return 'empty';
  if (first === 'SELECT' || first === 'VALUES' || first === 'EXPLAIN') return 'read';
  if (TRANSACTION_WORDS.has(first)) return 'transaction';
  if (SCHEMA_WORDS.has(first)) return 'schema';
  if (first === 'WITH') return words(sql).some((word) => CHANGE_WORDS.has(word)) ? 'write' : 'read';
  if (first === 'PRAGMA') return pragmaKind(sql);
  return 'write';
}

/** A quick check of every write: whether the plans of other statements may be outdated after it. */
export function changesSchema(sql: string): boolean {
  return /^\s*(CREATE|DROP|ALTER|REINDEX|ANALYZE|VACUUM)\b/i.test(sql);
}

/**
 * Throws a DatabaseError when a statement given by a person reaches beyond the database file or ends the transaction
 * around it.
 */
export function requireHarmless(sql: string): void {
  const found = words(sql);
  const reachesOut = found[0] === 'ATTACH' || (found[0] === 'VACUUM' && found.includes('INTO'));
  if (reachesOut || found.includes('LOAD_EXTENSION')) {
    throw new DatabaseError('refused', 'ATTACH, VACUUM INTO and loading extensions are not allowed.');
  }
  if (statementKind(sql) === 'transaction') {
    throw new DatabaseError('refused', 'Statements that control a transaction are not allowed.');
  }
}

/** Whether running it gives rows, even if it also writes. */
export function returnsRows(sql: string): boolean {
  const kind = statementKind(sql);
  return kind === 'read' || firstWord(sql) === 'PRAGMA' || (kind === 'write' && words(sql).includes('RETURNING'));
}

/** Whether this bare word occurs outside quotes and comments. */
export function hasWord(sql: string, word: string): boolean {
  return words(sql).includes(word);
}

/** The bare words of a statement in upper case, in order. */
function words(sql: string): string[] {
  const found: string[] = [];
  for (const token of tokens(sql)) if (token.kind === 'word') found.push(token.text);
  return found;
}

/**
 * The single statements of a text, without their semicolons. The statements inside a trigger's BEGIN and END belong
 * to it.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let current: SqlToken[] = [];
  for (const token of tokens(text)) {
    if (token.text !== ';' || token.kind !== 'symbol' || isInsideTrigger(current)) {
      current.push(token);
      continue;
    }
    if (current.length > 0) statements.push(text.slice(start, token.end - 1).trim());
    start = token.end;
    current = [];
  }
  if (current.length > 0) statements.push(text.slice(start).trim());
  return statements;
}

/** Like SQLite itself, a trigger is over when a semicolon follows `; END`. */
function isInsideTrigger(current: readonly SqlToken[]): boolean {
  const head = current.slice(0, 5).filter((token) => token.kind === 'word');
  const offset = head[0]?.text === 'EXPLAIN' ? (head[1]?.text === 'QUERY' ? 3 : 1) : 0;
  if (head[offset]?.text !== 'CREATE') return false;
  const next = head[offset + 1]?.text;
  const isTrigger = next === 'TRIGGER' || (/^TEMP(ORARY)?$/.test(next ?? '') && head[offset + 2]?.text === 'TRIGGER');
  if (!isTrigger) return false;
  return !(current.at(-1)?.text === 'END' && current.at(-2)?.text === ';');
}

function pragmaKind(sql: string): StatementKind {
  const parts: SqlToken[] = [];
  for (const token of tokens(sql)) parts.push(token);
  const assigns = parts.some((part) => part.kind === 'symbol' && part.text === '=');
  if (assigns) return 'write';
  const takesArgument = parts.some((part) => part.kind === 'symbol' && part.text === '(');
  if (!takesArgument) return 'read';
  const name = parts.findLast((part, index) => part.kind === 'word' && parts[index + 1]?.text === '(')?.text ?? '';
  return REPORTING_PRAGMA.test(name) ? 'read' : 'write';
}

function firstWord(sql: string): string | undefined {
  for (const token of tokens(sql)) return token.kind === 'word' ? token.text : '(';
  return undefined;
}

function* tokens(sql: string): Generator<SqlToken> {
  let at = 0;
  while (at < sql.length) {
    const char = sql[at];
    if (/\s/.test(char)) at += 1;
    else if (sql.startsWith('--', at)) at = endOf(sql, '\n', at + 2);
    else if (sql.startsWith('/*', at)) at = endOf(sql, '*/', at + 2);
    else if (char in CLOSING) {
      at = endOf(sql, CLOSING[char], at + 1);
      yield { kind: 'quoted', text: '', end: at };
    } else {
      WORD.lastIndex = at;
      const word = WORD.exec(sql)?.[0];
      at += word?.length ?? 1;
      yield word === undefined
        ? { kind: 'symbol', text: char, end: at }
        : { kind: 'word', text: word.toUpperCase(), end: at };
    }
  }
}

/** A doubled quote ends one quoted token and begins the next, which makes no difference here. */
function endOf(sql: string, closing: string, from: number): number {
  const found = sql.indexOf(closing, from);
  return found < 0 ? sql.length : found + closing.length;
}
