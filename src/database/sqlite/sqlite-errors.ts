import { databaseClosed, DatabaseError, type ErrorPlace, type DatabaseErrorKind } from '../database.error.js';

/** Both drivers put a result code into `code`; sqlite3 repeats it in front of the message. */
interface SqliteDriverError extends Error {
  readonly code: string;
}

/** By prefix of the result code, the longer ones first: `SQLITE_BUSY_SNAPSHOT` is a kind of `SQLITE_BUSY`. */
const KINDS: readonly (readonly [string, DatabaseErrorKind])[] = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_ABORT', 'unavailable'],
  ['SQLITE_CANTOPEN', 'unavailable'],
  ['SQLITE_IOERR', 'unavailable'],
  ['SQLITE_INTERRUPT', 'unavailable'],
  ['SQLITE_NOMEM', 'unavailable'],
  ['SQLITE_PROTOCOL', 'unavailable'],
  ['SQLITE_ERROR', 'syntax'],
  ['SQLITE_RANGE', 'syntax'],
];

/** What the drivers say of a handle that was closed. */
const CLOSED = /^(?:The database connection is not open|SQLITE_MISUSE: Database (?:handle )?is closed)/;

const CONSTRAINTS: readonly (readonly [RegExp, DatabaseErrorKind])[] = [
  [/^UNIQUE constraint failed: /, 'unique'],
  [/^NOT NULL constraint failed: /, 'notNull'],
  [/^FOREIGN KEY constraint failed/, 'foreignKey'],
  [/^CHECK constraint failed: /, 'check'],
];

/**
 * An error of either SQLite driver as a DatabaseError; anything else, a DatabaseError included, comes back unchanged.
 * The constraint's place is read from the message because sqlite3 reports no extended result codes.
 */
export function translateSqliteError(error: unknown): unknown {
  if (error instanceof Error && CLOSED.test(error.message)) return databaseClosed();
  if (!isSqliteError(error)) return error;
  const message = error.message.replace(/^SQLITE_[A-Z_]+: /, '');
  for (const [pattern, kind] of CONSTRAINTS) {
    if (pattern.test(message)) {
      return new DatabaseError(kind, message, placeOf(message.replace(pattern, '')), { cause: error });
    }
  }
  const kind = KINDS.find(([prefix]) => error.code.startsWith(prefix))?.[1] ?? 'other';
  const missingColumn = /^no such column: (.*)$/s.exec(message)?.[1];
  return new DatabaseError(kind, message, { missingColumn }, { cause: error });
}

function isSqliteError(error: unknown): error is SqliteDriverError {
  return (
    error instanceof Error &&
    !(error instanceof DatabaseError) &&
    typeof (error as Partial<SqliteDriverError>).code === 'string' &&
    (error as SqliteDriverError).code.startsWith('SQLITE_')
  );
}

/** `posts.title, posts.slug`, or `index 'idx_lower_title'` where an expression is part of the index. */
function placeOf(text: string): ErrorPlace {
  const index = /^index '(.*)'$/.exec(text)?.[1];
  if (index !== undefined) return { index };
  const columns = text.split(', ').map((part) => part.split('.'));
  if (columns.some((parts) => parts.length !== 2)) return {};
  return { table: columns[0][0], columns: columns.map((parts) => parts[1]) };
}
