import { ApiError } from '../../kernel/errors/api-error.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { ConflictError } from '../../kernel/errors/conflict.error.js';
import { ServiceUnavailableError } from '../../kernel/errors/service-unavailable.error.js';
import { shownName, withShownNames } from '../../kernel/sql/postgres-names.js';
import { databaseClosed, DatabaseError, type DatabaseErrorKind, type ErrorPlace } from '../database.error.js';

/** What the server reports (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
interface PostgresError extends Error {
  readonly code: string;
  readonly detail?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  /** Where in the text of the statement; what only running it has found has no place there. */
  readonly position?: string;
}

/** Seconds until a client may try again. */
const RETRY_AFTER = 2;

const QUERY_CANCELED = '57014';

/** By SQLSTATE, or a class of them, the longer ones first. */
const KINDS: readonly (readonly [string, DatabaseErrorKind])[] = [
  ['23505', 'unique'],
  ['23502', 'notNull'],
  ['23503', 'foreignKey'],
  ['23514', 'check'],
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['55P03', 'busy'],
  ['25006', 'readonly'],
  ['25P02', 'transactionOver'],
  ['25P03', 'transactionOver'],
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
  ['53100', 'full'],
  ['08', 'unavailable'],
  ['28', 'unavailable'],
  ['53', 'unavailable'],
  ['57P', 'unavailable'],
  ['58', 'unavailable'],
  ['22', 'syntax'],
  ['42', 'syntax'],
];

/** Failures of the way to the server, which Node.js and the driver report in their own words. */
const LOST = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/;
const LOST_TEXT = /Connection terminated|connection error|timeout exceeded when trying to connect|not queryable/;

/** What the driver says of a pool that was closed. */
const CLOSED = 'Cannot use a pool after calling end on the pool';

/** An error of the driver as a DatabaseError, or a 400 for what was cut off; anything else comes back unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError) return error;
  if (error.message === CLOSED) return databaseClosed();
  const { code = '' } = error as Partial<PostgresError>;
  if (code === QUERY_CANCELED) {
    return new BadRequestError('The query took too long and was cut off.', {}, { cause: error });
  }
  if (LOST.test(code) || LOST_TEXT.test(error.message)) {
    return unavailable(error.message || code, error);
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  const kind = kindOf(code, error);
  if (kind === 'unavailable') return unavailable(error.message, error);
  const answer = answerOf(kind, code, error);
  const place = shownPlace(placeOf(error as PostgresError));
  return new DatabaseError(kind, messageOf(error as PostgresError), place, { cause: error, answer });
}

/** Failures of a conversion, to the name of something as well. */
const OF_VALUES = /^(?:22|42P01|42601|42602|42704|42725|42883|3F000)/;

/**
 * What was being converted may be a secret, which an expression reads in a view or an index that is tried (COL-134).
 */
function messageOf({ code, message, position }: PostgresError): string {
  const isOfValue = position === undefined && OF_VALUES.test(code);
  return isOfValue ? message.replace(/"[^]*"/, '"…"') : withShownNames(message);
}

function kindOf(code: string, error: Error): DatabaseErrorKind {
  if (isOutdatedPlan({ code, message: error.message })) return 'busy';
  return KINDS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'other';
}

/** A statement with a name was parsed before a column that it reads changed its type; without one it would do. */
export function isOutdatedPlan(error: unknown): boolean {
  const { code, message, cause } = error as Partial<PostgresError>;
  if (cause !== undefined) return isOutdatedPlan(cause);
  return code === '0A000' && /cached plan/.test(message ?? '');
}

/** Whether it was cut off, at a limit or by somebody. */
export function isCanceled(error: unknown): boolean {
  const { code, cause } = error as Partial<PostgresError>;
  return code === QUERY_CANCELED || (cause instanceof Error && isCanceled(cause));
}

/** What a client can do something about. */
function answerOf(kind: DatabaseErrorKind, code: string, cause: Error): ApiError | undefined {
  if (kind === 'busy') return new ConflictError({ cause });
  if (kind === 'readonly' || kind === 'full')
    return new ServiceUnavailableError('The database takes no changes at the moment.', RETRY_AFTER, { cause });
  if (code.startsWith('54')) return new BadRequestError('A value is too long for an index.', {}, { cause });
  if (code.startsWith('22')) return new BadRequestError('A value cannot be stored or compared.', {}, { cause });
  return undefined;
}

/** The server is away or cannot take more, and is expected back (SCALE-18). */
function unavailable(reason: string, cause: Error): DatabaseError {
  const answer = new ServiceUnavailableError('The database is not available at the moment.', RETRY_AFTER, { cause });
  return new DatabaseError('unavailable', reason, {}, { cause, answer });
}

/** Whether the connection is broken, whatever ran on it. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'unavailable';
}

/** Whether the next statement should get another connection: a read-only server may have been demoted to a standby. */
export function needsOtherConnection(error: unknown): boolean {
  if (error instanceof ApiError) return false;
  return !(error instanceof DatabaseError) || error.kind === 'readonly' || isConnectionError(error);
}

function placeOf({ code, detail = '', table, column, constraint, message }: PostgresError): ErrorPlace {
  if (code === '42703') return { missingColumn: /column "?(.*?)"? does not exist/s.exec(message)?.[1] };
  if (code === '23502') return { table, columns: column === undefined ? undefined : [column] };
  const key = /^Key \((.*?)\)=\(/s.exec(detail)?.[1];
  const columns = key?.split(', ').map((name) => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'));
  // An expression of an index is no column.
  if (columns?.every((name) => !/[()]/.test(name)) === true) return { table, columns };
  return constraint === undefined ? {} : { index: constraint };
}

function shownPlace({ table, columns, index, missingColumn }: ErrorPlace): ErrorPlace {
  const shown = (name: string | undefined): string | undefined => (name === undefined ? undefined : shownName(name));
  return {
    table: shown(table),
    columns: columns?.map(shownName),
    index: shown(index),
    missingColumn: shown(missingColumn),
  };
}
