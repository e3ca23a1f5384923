import type { CompiledSql } from './compiled-sql.js';

/** What a statement gave: rows of a reading one, changed rows and the last generated id of a writing one. */
export interface StatementResult<Row = Record<string, unknown>> {
  readonly rows: Row[];
  readonly changes: number;
  readonly lastInsertId: number;
}

/** What the databases differ in; code above asks for a capability, never for a name. */
export interface DialectCapabilities {
  /** Most bound values a single statement may have; longer lists are cut into chunks below it. */
  readonly maxParameters: number;
}

/**
 * One kind of database: how to connect to it, how to write for it, and what its errors mean. Everything above
 * `database/` sees only this.
 */
export interface Dialect {
  readonly capabilities: DialectCapabilities;
  /** Opens the connections; the schema is not touched. */
  connect(): Promise<DatabaseConnections>;
  /** An identifier ready to be put into a statement. */
  quote(identifier: string): string;
  /** A driver's error as a DatabaseError; whatever is none comes back as it is. */
  translateError(error: unknown): unknown;
}

/** The open connections of one database: writers take turns, readers have their own way in. */
export interface DatabaseConnections {
  /** Rows as last committed. Never waits for a writer. */
  read<Row>(statement: CompiledSql): Promise<Row[]>;
  /** Runs one statement in a transaction of its own when its turn comes. */
  write(statement: CompiledSql): Promise<StatementResult>;
  /** Begins a transaction when its turn comes. Rejects with the signal's reason when it is aborted while waiting. */
  begin(signal?: AbortSignal): Promise<TransactionConnection>;
  close(): Promise<void>;
}

/** The connection inside one transaction. `commit` and `rollback` end it and let the next writer begin. */
export interface TransactionConnection {
  /** False once the database itself has given the transaction up, for example because the disk is full. */
  readonly isAlive: boolean;
  execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}
