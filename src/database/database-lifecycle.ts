import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { AmbientTransactions } from './ambient-transactions.js';
import type { CompiledSql } from './compiled-sql.js';
import type { DatabaseChanges } from './database-changes.js';
import { databaseClosed } from './database.error.js';
import type { DatabaseConnections, Dialect, OpeningOptions } from './dialect.js';

/** What a database does while it opens, before anybody else may use it. */
export interface OpeningDatabase {
  /** Whether it is opened to be filled. */
  readonly fills: boolean;
  read<Row>(statement: CompiledSql): Promise<Row[]>;
  /** Runs work in a transaction that does not enforce foreign keys. */
  migrate<T>(work: () => Promise<T>): Promise<T>;
}

/** Brings the schema up to date; whatever it throws keeps the database closed. */
export type PrepareDatabase = (opening: OpeningDatabase) => Promise<void>;

/** Rejects for a database that could not be brought up to date. */
export type InspectDatabase = (database: Pick<OpeningDatabase, 'read'>) => Promise<void>;

interface Dependencies {
  readonly transactions: AmbientTransactions;
  readonly changes: DatabaseChanges;
  readonly prepare?: PrepareDatabase;
  readonly inspect?: InspectDatabase;
}

/** Opens and closes the connections: they are open from their first use, or from `open`, to `close`. */
export class DatabaseLifecycle {
  private connections?: DatabaseConnections;
  private opening?: Promise<DatabaseConnections>;
  private closed = false;
  /** How often the database was opened. After a restore it is another database, so versions of before do not count. */
  openings = 0;
  private options: OpeningOptions = {};

  constructor(
    private readonly dialect: Dialect,
    private readonly around: Dependencies,
  ) {}

  /** Opens it now instead of on first use. Rejects with a DataDirectoryError when that is not possible. */
  async open(options: OpeningOptions = {}): Promise<void> {
    this.closed = false;
    this.options = options;
    await this.connected();
  }

  /** Drops everything in a database that was opened to be filled, and closes it. Files are removed by the caller. */
  async discard(): Promise<void> {
    try {
      await this.connections?.empty?.();
    } finally {
      await this.close();
    }
  }

  /** Rejects when the database cannot be reached or used, before anything is created in it. */
  async probe(): Promise<void> {
    await this.dialect.probe?.(async (connections) => {
      await this.around.inspect?.({ read: async (statement) => connections.read(statement) });
    });
  }

  /** Waits for the transactions that have begun, then closes the files. After that every call is refused. */
  async close(): Promise<void> {
    this.closed = true;
    const connections = await this.opening?.catch(() => undefined);
    this.connections = undefined;
    this.opening = undefined;
    await connections?.close();
  }

  /**
   * Closes the database while the work runs and opens it again; statements meanwhile wait. A database that cannot be
   * opened before the work is ignored, because the work may be what repairs it.
   */
  async whileClosed<T>(work: () => Promise<T>): Promise<T> {
    const { transactions, changes } = this.around;
    transactions.requireNone();
    const connections = await this.connected().catch(() => undefined);
    this.connections = undefined;
    let reopen: (connections: Promise<DatabaseConnections>) => void = () => undefined;
    this.opening = new Promise((resolve) => (reopen = resolve));
    this.forgetFailed(this.opening);
    try {
      await connections?.close();
      return await work();
    } finally {
      await changes.watch(async () => {
        const connecting = this.connect();
        reopen(connecting);
        await connecting;
        await changes.tell();
      });
      await changes.told;
    }
  }

  /** The connections, unless they are still to be opened. */
  get opened(): DatabaseConnections | undefined {
    return this.connections;
  }

  /** Runs work with the connections. Synchronous while they are open, so that the order of arrival is kept. */
  use<T>(work: (connections: DatabaseConnections) => Promise<T>): Promise<T>;
  use<T>(work: (connections: DatabaseConnections) => MaybePromise<T>): MaybePromise<T>;
  use<T>(work: (connections: DatabaseConnections) => MaybePromise<T>): MaybePromise<T> {
    return this.connections ? work(this.connections) : this.connected().then(work);
  }

  private connected(): Promise<DatabaseConnections> {
    if (this.closed) return Promise.reject(databaseClosed());
    if (this.opening === undefined) {
      this.opening = this.connect();
      this.forgetFailed(this.opening);
    }
    return this.opening;
  }

  /** Forgets a failed attempt, so that the next statement tries again. */
  private forgetFailed(opening: Promise<DatabaseConnections>): void {
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
  }

  private connect(): Promise<DatabaseConnections> {
    const { transactions, changes, prepare } = this.around;
    return transactions.runOutside(async () => {
      const connections = await this.dialect.connect(this.options);
      this.openings++;
      try {
        await prepare?.({
          fills: this.options.fills === true,
          read: async (statement) => connections.read(statement),
          migrate: (work) =>
            connections.withoutForeignKeys(() => transactions.runOn((options) => connections.begin(options), work)),
        });
      } catch (error) {
        await connections.close();
        throw error;
      }
      connections.onForeignCommit(() => changes.tell());
      this.connections = connections;
      return connections;
    });
  }
}
