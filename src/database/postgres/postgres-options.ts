/** How to reach a database and how much of it one process may use. */
export interface PostgresOptions {
  /** As `postgres://user:password@host:port/database?sslmode=…`. */
  readonly url: string;
  /**
   * The address of the database itself where `url` is that of a pooler, which may give every transaction another
   * session.
   */
  readonly directUrl?: string;
  /** Connections of this process, at most. */
  readonly pool: number;
  /** Seconds a statement may take; 0 is no limit. */
  readonly queryTimeout: number;
  /** Seconds a statement may wait for a lock; no limit when absent. */
  readonly lockTimeout?: number;
  /** As in DatabaseOptions. */
  readonly hasPeers?: boolean;
  /** A table that a database of this application has; one with other tables and without it is refused. */
  readonly ownTable?: string;
  /** Whether processes tell each other of their commits. */
  readonly tellsOthers?: boolean;
  /** As in OpeningOptions. */
  readonly fills?: boolean;
  /** Whether it is marked while it is filled; false for what goes with something else that is. */
  readonly isMarked?: boolean;
}
