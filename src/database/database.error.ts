import type { ApiError } from '../kernel/errors/api-error.js';
import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';

/** What went wrong, in words that are the same for every database. */
export type DatabaseErrorKind =
  | 'unique'
  | 'notNull'
  | 'foreignKey'
  | 'check'
  | 'busy'
  | 'readonly'
  | 'corrupt'
  | 'full'
  | 'syntax'
  | 'refused'
  | 'transactionOver'
  | 'unavailable'
  | 'other';

/** Seconds until a client may try again when the database was closed. */
const RETRY_AFTER = 5;

const FAULTS: ReadonlySet<DatabaseErrorKind> = new Set<DatabaseErrorKind>([
  'busy',
  'readonly',
  'corrupt',
  'full',
  'transactionOver',
  'unavailable',
]);

/**
 * Where a constraint was violated: the table and its columns, or the index where only its name is known. Or the name,
 * as written, that a statement uses for a column and that none has.
 */
export interface ErrorPlace {
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly index?: string;
  readonly missingColumn?: string;
}

/**
 * A failure of the database, translated from the driver's. Its message is the database's own reason: it belongs in
 * the log and, only where a requirement says so, in an answer to a superuser.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly index?: string;
  readonly missingColumn?: string;

  /**
   * True when it is no fault of the statement: the file, the disk or a process failed, and it might run another time.
   */
  get isFault(): boolean {
    return FAULTS.has(this.kind);
  }

  /** The answer for the client, when it can do something about the failure; undefined stands for a 500. */
  readonly answer?: ApiError;

  constructor(
    readonly kind: DatabaseErrorKind,
    message: string,
    place: ErrorPlace = {},
    options?: ErrorOptions & { readonly answer?: ApiError },
  ) {
    super(message, options);
    this.answer = options?.answer;
    this.table = place.table;
    this.columns = place.columns;
    this.index = place.index;
    this.missingColumn = place.missingColumn;
  }
}

/** Whether the database failed for a reason that has nothing to do with the statement, which may succeed later. */
export function isFault(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.isFault;
}

/**
 * For what was still asked when the database was closed, as at a stop or a restore. The answer has no cause: nothing has
 * gone wrong that would belong in the log.
 */
export function databaseClosed(): DatabaseError {
  const answer = new ServiceUnavailableError('The database is not available at the moment.', RETRY_AFTER);
  return new DatabaseError('unavailable', 'The database is closed.', {}, { answer });
}
