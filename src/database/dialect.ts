import type { SlowStatement } from './slow-statements.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { SqlCompiler } from '../kernel/sql/sql-compiler.js';
import type { SqlType } from '../kernel/sql/sql-node.js';
import type { CompiledSql } from './compiled-sql.js';
import type { OpeningOptions } from './opening-options.js';
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
   * True where one transaction at a time may write: then whatever it has read stays true to its end, and those that come
   * together may share one.
   */
  readonly writersTakeTurns: boolean;
  /** Whether a column takes values of its type alone; elsewhere other tools may have put anything into it. */
  readonly hasTypedColumns: boolean;
  /** Whether a snapshot has the tables as they were; elsewhere it has their rows only, and a changed table breaks it. */
  readonly snapshotsHaveTables: boolean;
  /** A compiler for one statement tree. */
  newCompiler(): SqlCompiler;
  /** Opens the connections; the schema is not touched. Rejects with a DataDirectoryError that names the place. */
  connect(options?: OpeningOptions): Promise<DatabaseConnections>;
  /**
   * Connects for a look, and changes nothing anywhere. Rejects as `connect` does. Absent where opening is the only way to
   * know, because there is nothing before.
   */
  probe?(look: (connections: DatabaseConnections) => Promise<void>): Promise<void>;
  /** How changes of the schema are spelled. */
  readonly schema: SchemaDdl;
  /** A statement given by a person, who has written `?` where its values go. */
  withPlaceholders(sql: string): string;
  /**
   * An INSERT of many rows that has all of them in one value, which takes half the work. Undefined where that cannot be
   * done with these values, and absent where it makes no difference.
   */
  insertOfRows?(into: string, columns: readonly TypedColumn[], rows: readonly StoredRow[]): CompiledSql | undefined;
  /** An identifier ready to be put into a statement. */
  quote(identifier: string): string;
  /**
   * Throws a DatabaseError when a statement given by a person reaches beyond the database or ends the transaction
   * around it.
   */
  requireHarmless(sql: string): void;
}

/** A column of a table, and what it is to the database. */
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
   * As `read`, for a statement that finds a row by its key, so that it may go with others of its kind. Absent where that
   * makes no difference.
   */
  readByKey?<Row>(statement: CompiledSql): Promise<Row[]>;
  /** Whether a statement with these values is certainly quick, so that it may run where nothing can be cut off. */
  isSmall(statement: CompiledSql): MaybePromise<boolean>;
  /** As `read`, in another process and cut off after so many seconds at the latest. */
  readApart<Row>(statement: CompiledSql, seconds: number): Promise<Row[]>;
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
  /** False while its server only reads. Absent where that is found out by writing. */
  takesChanges?(): Promise<boolean>;
  /** How large it is. Absent where it is files of this machine. */
  readonly sizes?: () => Promise<DatabaseSizes>;
  /** Runs one statement in a transaction of its own when its turn comes. */
  write<Row>(statement: CompiledSql): Promise<StatementResult<Row>>;
  /** Begins a transaction when its turn comes. Rejects with the deadline's reason when that aborts while waiting. */
  begin(options?: TransactionOptions): MaybePromise<TransactionConnection>;
  /** Begins what reads only, all of it as the database is at this moment. Nobody waits for it. */
  beginSnapshot(): Promise<TransactionConnection>;
  /** Runs work while the writer does not enforce foreign keys, so that migrations can rebuild tables. */
  withoutForeignKeys<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs a text of several statements where it can be cut off in the middle. `committing` is called right before the
   * commit of a writing one is asked for.
   */
  runScript(script: SqlScript, committing: () => void): Promise<ScriptResult>;
  /**
   * Runs one writing statement for every row of values, all in one transaction, where it holds up nobody but writers of
   * this database. It may take long on a busy machine, because everything else comes first.
   */
  writeRows(rows: RowsToWrite): Promise<void>;
  /** Copies the database as last committed to a new file. Nobody waits for it. Absent where it is no file. */
  snapshot?(file: string): Promise<void>;
  /** Runs a statement that can be no part of a transaction, for as long as it takes, while everything goes on. */
  runApart?(sql: string): Promise<void>;
  /** Takes everything out of a database that was to be filled. Absent where it is a file, which can be removed. */
  empty?(): Promise<void>;
  /** Gives the space of deleted rows back to the file system. */
  compact(): Promise<void>;
  /** The regular upkeep: moves the journal into the file and refreshes what the query planner knows. */
  optimize(): Promise<void>;
  /**
   * Calls back after other processes, or scripts, have committed: when that is looked for, and at the latest in the
   * next transaction, which waits for the listener before it does anything.
   */
  onForeignCommit(listener: () => Promise<void>): void;
  /** As `lookForForeignCommits`, without a promise where nothing is to be told. Cheap enough for each request. */
  freshen(): MaybePromise<void>;
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
  /** False once the database itself has given the transaction up, for example because the disk is full. */
  readonly isAlive: boolean;
  /** Whether a failed statement lets all others fail until a savepoint before it is rolled back to (SCALE-17). */
  readonly isBrokenByFailure: boolean;
  execute<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>>;
  /**
   * Runs a writing statement before the next one, or before the commit, which then fails for its reason. Absent where
   * nothing is gained by not waiting for it.
   */
  putOff?(statement: CompiledSql): void;
  /**
   * Sets a savepoint before the next statement, and releases it after the last one. Absent where nothing is gained by not
   * waiting for them.
   */
  readonly savepoints?: { set(name: string): void; release(name: string): void };
  /** Rows of a reading statement; undefined when it might go on for longer than others can wait for a writer. */
  readWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined>;
  /** Waits until nobody else holds this name, and holds it to the end. Absent where writers take turns anyway. */
  hold?(name: string): Promise<void>;
  /** Waits until no other transaction is open, and keeps others from beginning. Absent where writers take turns anyway. */
  beAlone?(): Promise<void>;
  /** Commits, calls `committed` at that moment, and lets the next writer begin. A failed commit is rolled back. */
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
  /** Rows of the last statement that are returned. */
  readonly maxRows: number;
}

/** The result of a script's last statement. A writing script has no columns and rows. */
export interface ScriptResult {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[];
  readonly rows: readonly (readonly SqlValue[])[];
  readonly changes: number;
  /** What the database took, without waiting. */
  readonly milliseconds: number;
}
