import type { DatabaseDriver } from '../../config/roost-config.js';
import type { SqlValue } from '../../kernel/fields/field-type.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';

/** How a file is opened. */
export interface OpenOptions {
  readonly readonly: boolean;
  /** Milliseconds SQLite itself waits for another process; it blocks whoever runs the statement. */
  readonly busyTimeout: number;
}

/** What differs between the two SQLite drivers. DATABASE_DRIVER chooses one for the whole process. */
export interface SqliteDriver {
  readonly name: DatabaseDriver;
  /** The npm package it is, for processes that open the file as well. */
  readonly packageName: string;
  /** True when statements run on the calling thread, which does nothing else meanwhile. */
  readonly blocks: boolean;
  /** Opens a file; a file that is not there is made unless it is opened for reading. Rejects with a DatabaseError. */
  open(file: string, options: OpenOptions): Promise<SqliteConnection>;
  /** The value as this driver must be handed it, so that an integer stays an integer and bytes stay bytes. */
  toNative(value: SqlValue): unknown;
}

/** One handle on a database file. Statements run one after the other; errors arrive as DatabaseErrors. */
export interface SqliteConnection {
  all<Row>(statement: CompiledSql): MaybePromise<Row[]>;
  execute<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>>;
  /** Differs after each commit of another handle or process; absent where statements have to be waited for. */
  version?(): number;
  /** Runs text without values that gives no rows, such as a pragma or BEGIN. */
  command(sql: string): Promise<void>;
  /** Is a transaction open on this handle? */
  inTransaction(): Promise<boolean>;
  close(): Promise<void>;
}
