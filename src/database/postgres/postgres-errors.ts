import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { DatabaseError, type DatabaseErrorKind, type ErrorPlace } from '../database.error.js';

/** What the server reports (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
interface PostgresError extends Error {
  readonly code: string;
  readonly detail?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

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

/** An error of the driver as a DatabaseError, or a 400 for what was cut off; anything else comes back unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError) return error;
  const { code = '' } = error as Partial<PostgresError>;
  if (code === QUERY_CANCELED) {
    return new BadRequestError('The query took too long and was cut off.', {}, { cause: error });
  }
  if (LOST.test(code) || LOST_TEXT.test(error.message)) {
    return new DatabaseError('unavailable', error.message || code, {}, { cause: error });
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  const kind = KINDS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'other';
  return new DatabaseError(kind, error.message, placeOf(error as PostgresError), { cause: error });
}

/** Is the connection of no use any more, whatever was asked on it? */
export function endsConnection(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'unavailable';
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
