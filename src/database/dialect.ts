import type { SlowStatement } from './slow-statements.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { SqlCompiler } from '../kernel/sql/sql-compiler.js';
import type { SqlType } from '../kernel/sql/sql-node.js';
import type { CompiledSql } from './compiled-sql.js';
import type { SchemaDdl } from './schema-ddl.js';
import type { TransactionOptions } from './transaction-options.js';

/** What a statement gave: rows of a reading one, changed rows and the last generated id of a writing one. */
export interface StatementResult<Row = Record<string, unknown>> {
  readonly rows: Row[];
  readonly changes: number;
  readonly lastInsertId: number;
}

/**
 * One kind of database: how to connect to it and how to write for it. Everything above `database/` sees only
 * this, and its errors as DatabaseError.
 */
export interface Dialect {
  /**
   * True where only one transaction at a time may write: then whatever it has read stays true to its end, and
   * transactions that arrive together may share one commit.
   */
  readonly writersTakeTurns: boolean;
  /** Whether a column takes values of its type only; elsewhere other tools may have stored anything in it. */
  readonly hasTypedColumns: boolean;
  /**
   * Whether a snapshot has the tables as they were; elsewhere it has their rows only, and a changed table breaks it.
   */
  readonly snapshotsHaveTables: boolean;
  /** A compiler for one statement tree. */
  newCompiler(): SqlCompiler;
  /** Opens the connections; the schema is not touched. Rejects with a DataDirectoryError that names the place. */
  connect(options?: OpeningOptions): Promise<DatabaseConnections>;
  /**
   * Connects to check the database, and changes nothing. Rejects as `connect` does. Absent where opening is the only
   * way to know.
   */
  probe?(look: (connections: DatabaseConnections) => Promise<void>): Promise<void>;
  /** How changes of the schema are spelled. */
  readonly schema: SchemaDdl;
  /** A statement written by a person, with `?` where its values go, in the placeholders of this database. */
  withPlaceholders(sql: string): string;
  /**
   * An INSERT of many rows that passes all of them as one value, which takes half the time. Undefined for values that
   * do not allow it, absent where it makes no difference.
   */
  insertOfRows?(into: string, columns: readonly TypedColumn[], rows: readonly StoredRow[]): CompiledSql | undefined;
  /**
   * A statement written by a person with its names in the form the database has them in. Absent where that is the same.
   */
  withStoredNames?(sql: string): string;
  /**
   * Takes note of the names of collections, fields and indexes in these texts, so that what the database tells of them
   * is told by these names. Absent where it has every name as it is.
   */
  learnNames?(texts: Iterable<string>): void;
  /** An identifier ready to be put into a statement. */
  quote(identifier: string): string;
  /**
   * Throws a DatabaseError when a statement given by a person reaches beyond the database or ends the transaction
   * around it.
   */
  requireHarmless(sql: string): void;
}

/** A column of a table and its type in the database. */
export interface TypedColumn {
  readonly name: string;
  readonly type: SqlType;
}

/** The values of a row by column. */
export type StoredRow = Readonly<Record<string, SqlValue>>;

/** The open connections of one database: writers take turns, readers have their own way in. */
export interface DatabaseConnections {
  /** Rows as last committed. Never waits for a writer; cut off with a 400 at the query limit. */
  read<Row>(statement: CompiledSql): MaybePromise<Row[]>;
  /**
   * As `read`, for a statement that finds a row by its key and may be sent together with others of its kind. Absent
   * where that makes no difference.
   */
  readByKey?<Row>(statement: CompiledSql): Promise<Row[]>;
  /**
   * Whether a statement with these values is certainly quick, so that it may run on the main thread, where it cannot be
   * cut off.
   */
  isSmall(statement: CompiledSql): MaybePromise<boolean>;
  /** As `read`, in another process and cut off after so many seconds at the latest. */
  readWithTimeout<Row>(statement: CompiledSql, seconds: number): Promise<Row[]>;
  /**
   * A number that differs after each commit, of this process or another. Absent where it would have to be waited for:
   * then nothing that was read is kept.
   */
  readonly version?: () => number;
  /**
   * Asks for a text that is equal to an earlier one only if nothing was committed in between, by whoever. Absent where
   * `version` tells, undefined where to ask costs as much as to read.
   */
  state?(): Promise<string> | undefined;
  /** Reading statements that took longest. Absent where nobody measures them. */
  readonly slowest?: () => readonly SlowStatement[];
  /** False while the server is read-only; rejects when it does not answer. Absent where only a write can tell. */
  isWritable?(): Promise<boolean>;
  /** How large it is. Absent where it is files of this machine. */
  readonly sizes?: () => Promise<DatabaseSizes>;
  /** Runs one statement in a transaction of its own when its turn comes. */
  write<Row>(statement: CompiledSql): Promise<StatementResult<Row>>;
  /** Begins a transaction when its turn comes. Rejects with the deadline's reason when that aborts while waiting. */
  begin(options?: TransactionOptions): MaybePromise<TransactionConnection>;
  /** Begins a read-only transaction on one snapshot of the database. It blocks nobody. */
  beginSnapshot(): Promise<TransactionConnection>;
  /** Runs work while the writer does not enforce foreign keys, so that migrations can rebuild tables. */
  withoutForeignKeys<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs a text of several statements where it can be cut off in the middle. `committing` is called right before the
   * commit of a writing one is asked for.
   */
  runScript(script: SqlScript, committing: () => void): Promise<ScriptResult>;
  /**
   * Runs one writing statement for every row of values, all in one transaction, with a low priority and without
   * blocking anybody but other writers of this database. It may take long on a busy machine.
   */
  writeRows(rows: RowsToWrite): Promise<void>;
  /** Copies the database as last committed to a new file without blocking anybody. Absent where it is no file. */
  snapshot?(file: string): Promise<void>;
  /** Runs a statement that cannot be part of a transaction, without a time limit and without blocking others. */
  runOutsideTransaction?(sql: string): Promise<void>;
  /** Drops everything in a database that was to be filled. Absent where it is a file, which can be removed. */
  empty?(): Promise<void>;
  /**
   * Does now for tables that were just filled what the server does by itself a while later, one after the other and
   * without blocking anybody: tells the planner of them, and which of their pages an index alone can answer for. Absent
   * where there is nothing like it.
   */
  vacuum?(tables: readonly string[], onTable?: (table: string) => void): Promise<void>;
  /** Gives the space of deleted rows back to the file system. */
  compact(): Promise<void>;
  /** The regular upkeep: moves the journal into the file and refreshes what the query planner knows. */
  optimize(): Promise<void>;
  /**
   * Calls back after a commit of another process, or of a script: when `catchUp` notices it, and at the latest in the
   * next transaction, which waits for the listener before its first statement.
   */
  onForeignCommit(listener: () => Promise<void>): void;
  /**
   * As `lookForForeignCommits`, without a promise when nothing has changed. Cheap enough to be called for each request.
   */
  catchUp(): MaybePromise<void>;
  /** Looks now whether others have committed, unless a transaction is open at this moment. */
  lookForForeignCommits(): Promise<void>;
  close(): Promise<void>;
}

/** Bytes, with indexes and whatever else belongs to it. */
export interface DatabaseSizes {
  readonly database: number;
  readonly tables: ReadonlyMap<string, number>;
}

/** The connection inside one transaction. Once it is over it refuses every statement. */
export interface TransactionConnection {
  /** False once the database itself has rolled the transaction back, for example because the disk is full. */
  readonly isAlive: boolean;
  /**
   * True once it can only be rolled back as a whole, whatever savepoints there were. Absent where that does not happen.
   */
  readonly isDoomed?: boolean;
  /** Whether a failed statement makes all later ones fail until a rollback to a savepoint before it (SCALE-17). */
  readonly isBrokenByFailure: boolean;
  execute<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>>;
  /**
   * Runs a writing statement together with the next one, or with the commit, which then fails with its reason. Absent
   * where this saves nothing.
   */
  defer?(statement: CompiledSql): void;
  /**
   * Sets a savepoint before the next statement, and releases it after the last one. Absent where nothing is gained by
   * not waiting for them.
   */
  readonly savepoints?: { set(name: string): void; release(name: string): void };
  /** Rows of a reading statement; undefined when it might take longer than others should wait for the writer. */
  readWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined>;
  /** Locks a name until the end of the transaction. Absent where writers take turns anyway. */
  lock?(name: string): Promise<void>;
  /**
   * Waits until no other transaction is open, and keeps others from beginning. Absent where writers take turns anyway.
   */
  becomeExclusive?(): Promise<void>;
  /**
   * Commits, calls `committed` at that moment, and lets the next writer begin. When the commit fails, it is rolled
   * back.
   */
  commit(committed: () => void): MaybePromise<void>;
  /** Rolls back unless that has happened, and lets the next writer begin. */
  rollback(): Promise<void>;
}

/** Many rows for one writing statement. */
export interface RowsToWrite {
  readonly writes: readonly string[];
  /** Each part is asked for when the one before has been written. */
  readonly parts: Iterable<RowsPart>;
}

/** A statement that is run with each of these lists of values. */
export interface RowsPart {
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Several statements as text, for the SQL console. */
export interface SqlScript {
  readonly text: string;
  /** All statements in one writing transaction, or each on a connection that can only read. */
  readonly writes: boolean;
  /** Seconds until it is cut off; waiting for the turn to write does not count. */
  readonly timeout: number;
  /** Rows of the last statement that are returned, and the bytes of their values, beyond which it is refused. */
  readonly most: { readonly rows: number; readonly bytes: number };
}

/** The result of a script's last statement. A writing script has no columns and rows. */
export interface ScriptResult {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[];
  readonly rows: readonly (readonly SqlValue[])[];
  readonly changes: number;
  /** Time in the database, without waiting for the writer. */
  readonly milliseconds: number;
}

/** What a database is opened for. */
export interface OpeningOptions {
  /**
   * The database is to be filled: it is empty, or holds a part of an interrupted filling, and is marked as unfinished
   * until the end (UNFINISHED_TABLE). Without this option a marked database is refused.
   */
  readonly fills?: boolean;
}
