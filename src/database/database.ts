import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseError } from './database.error.js';
import type { DatabaseConnections, Dialect, ScriptResult, SqlScript, StatementResult } from './dialect.js';
import { TableVersions } from './table-versions.js';
import { TransactionScope, type AfterWork, type CommittedWork } from './transaction-scope.js';

export type { CompiledSql } from './compiled-sql.js';

/** How a unit of work is run. */
export interface TransactionOptions {
  /**
   * Gives the transaction up when it aborts: it is rolled back, the writer is free at once, the promise rejects with
   * the signal's reason, and nothing the abandoned work still does is stored.
   */
  readonly deadline?: AbortSignal;
}

/** What a database does while it opens, before anybody else may use it. */
export interface OpeningDatabase {
  read<Row>(statement: CompiledSql): Promise<Row[]>;
  /** Runs work in a transaction that does not enforce foreign keys. */
  migrate<T>(work: () => Promise<T>): Promise<T>;
}

/** How a Database is put together. */
export interface DatabaseOptions {
  /** Brings the schema up to date; whatever it throws keeps the database closed. */
  readonly prepare?: (opening: OpeningDatabase) => Promise<void>;
  /** Is told every statement with its milliseconds, for `--dev`. Never given values, which may be secrets. */
  readonly trace?: (sql: string, milliseconds: number) => void;
}

/**
 * The database: runs statements and units of work. The transaction is ambient: everything called inside
 * `transaction(work)` takes part in it without being handed anything. It opens on first use.
 *
 * Statements reject with a DatabaseError; a reading one that takes longer than the query limit with a 400.
 */
export class Database {
  private readonly logger = new Logger(Database.name);
  private readonly ambient = new AsyncLocalStorage<TransactionScope>();
  private readonly versions = new TableVersions();
  private readonly externalChangeListeners = new Set<AfterWork>();
  private readonly damageListeners = new Set<(error: DatabaseError) => void>();
  private connections?: DatabaseConnections;
  private opening?: Promise<DatabaseConnections>;
  private reloading: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    readonly dialect: Dialect,
    private readonly options: DatabaseOptions = {},
  ) {}

  /** Opens it now instead of on first use. Rejects with a DataDirectoryError when that is not possible. */
  async open(): Promise<void> {
    this.closed = false;
    await this.connected();
  }

  /** Waits for the transactions that have begun, then closes the files. After that every call is refused. */
  async close(): Promise<void> {
    this.closed = true;
    const connections = await this.opening?.catch(() => undefined);
    this.connections = undefined;
    this.opening = undefined;
    await connections?.close();
  }

  /** Closes the files for the time of the work and opens them again; whoever needs them meanwhile waits. */
  async closedWhile<T>(work: () => Promise<T>): Promise<T> {
    const connections = await this.connected();
    let reopen: (connections: Promise<DatabaseConnections>) => void = () => undefined;
    this.connections = undefined;
    this.opening = new Promise((resolve) => (reopen = resolve));
    try {
      await connections.close();
      return await work();
    } finally {
      const connecting = this.connect();
      reopen(connecting);
      await connecting;
      await this.externalChange();
    }
  }

  /** The rows of a reading statement: inside a transaction as it sees them, otherwise as last committed. */
  all<Row>(statement: CompiledSql): Promise<Row[]> {
    return this.perform(statement, async () => {
      const scope = this.current();
      if (scope) return scope.read<Row>(statement);
      return (this.connections ?? (await this.connected())).read<Row>(statement);
    });
  }

  /** The first row of a reading statement. */
  async get<Row>(statement: CompiledSql): Promise<Row | undefined> {
    return (await this.all<Row>(statement))[0];
  }

  /** Runs a writing statement in the ambient transaction, or in one of its own when its turn comes. */
  async run(statement: CompiledSql): Promise<{ changes: number }> {
    return this.execute(statement);
  }

  /** Like `run`, with everything the statement gave. */
  execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    return this.perform(statement, async () => {
      const scope = this.current();
      if (scope) return scope.write<Row>(statement);
      const result = await (this.connections ?? (await this.connected())).write<Row>(statement);
      this.versions.count(statement.writes);
      return result;
    });
  }

  /**
   * Runs work in a transaction: committed when it returns, rolled back when it throws. Inside another one it joins
   * that: a failure undoes its own part, and the caller decides about the rest. Resolves after the work that waited
   * for the commit is done.
   */
  async transaction<T>(work: () => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const scope = new TransactionScope(this.current());
    await this.begin(scope, options.deadline);
    return this.ambient.run(scope, () => this.conduct(scope, work, options.deadline));
  }

  /**
   * Begins a transaction that the caller itself ends with `commit` or `rollback`; TypeORM's query runners need it.
   * It is ambient for the caller from here on. Prefer `transaction`, which cannot be forgotten.
   */
  enter(): { readonly scope: TransactionScope; readonly begun: Promise<void> } {
    const scope = new TransactionScope(this.current());
    // Before the first await: only then is it the caller's context that changes.
    this.ambient.enterWith(scope);
    return { scope, begun: this.begin(scope) };
  }

  /** Commits what `enter` began. */
  async commit(scope: TransactionScope): Promise<void> {
    try {
      await this.finish(scope);
    } catch (error) {
      await this.runAll(await scope.rollback());
      throw error;
    }
  }

  /** Undoes what `enter` began. */
  async rollback(scope: TransactionScope): Promise<void> {
    await this.runAll(await scope.rollback());
  }

  /** Runs work inside what `enter` began, unless the caller is inside it already. */
  within<T>(scope: TransactionScope, work: () => T): T {
    return this.current()?.isWithin(scope) ? work() : this.ambient.run(scope, work);
  }

  /** Runs work outside of any transaction: for timers and other things that outlive the one around them. */
  outside<T>(work: () => T): T {
    return this.ambient.exit(work);
  }

  get inTransaction(): boolean {
    return this.current() !== undefined;
  }

  /** Stands for the ambient transaction: the same object from its begin to its end; undefined without one. */
  get transactionKey(): object | undefined {
    return this.current()?.root;
  }

  /**
   * Runs work at the moment of the commit, before any other writer's turn: for what must happen in commit order.
   * It must not throw or wait. Without a transaction it runs at once.
   */
  onCommit(work: () => void): void {
    const scope = this.current();
    if (scope) scope.onCommit(work);
    else work();
  }

  /**
   * Runs work after the outermost transaction has committed, in the order it was handed over; at once without a
   * transaction. A failure is logged and changes nothing.
   */
  afterCommit(work: AfterWork): void {
    const scope = this.current();
    if (scope) scope.afterCommit(work);
    else void this.runAll([work]);
  }

  /** Runs work after the transaction around it has been rolled back; never without a transaction. */
  afterRollback(work: AfterWork): void {
    this.current()?.afterRollback(work);
  }

  /**
   * A text that changes whenever one of the tables may have changed, also by another process (within half a second).
   * Without tables it changes with every commit.
   */
  version(tables: readonly string[]): string {
    return this.versions.of(tables);
  }

  /** Calls back after another process or the SQL console has committed, at most half a second later. */
  onExternalChange(listener: AfterWork): () => void {
    this.externalChangeListeners.add(listener);
    return () => this.externalChangeListeners.delete(listener);
  }

  /** Calls back when a statement finds the database file damaged. */
  onDamage(listener: (error: DatabaseError) => void): () => void {
    this.damageListeners.add(listener);
    return () => this.damageListeners.delete(listener);
  }

  /** Copies the database as last committed to a new file, while everything goes on. */
  async snapshot(file: string): Promise<void> {
    await (await this.connected()).snapshot(file);
  }

  /** Gives the space of deleted rows back to the file system. Writers wait meanwhile. */
  async compact(): Promise<void> {
    await (await this.connected()).compact();
  }

  /** Moves the journal into the file and refreshes what the query planner knows. */
  async optimize(): Promise<void> {
    await (await this.connected()).optimize();
  }

  /**
   * Runs the text of a person where it stops nobody and can be cut off. Rejects with a DatabaseError whose message is
   * the database's own reason, or with a 400 when the time is over. Resolves after caches have been reloaded.
   */
  async runScript(script: SqlScript): Promise<ScriptResult> {
    const result = await (await this.connected()).runScript(script);
    await this.reloading;
    return result;
  }

  /** The scope whose code is asking. Those that are over without harm are passed over. */
  private current(): TransactionScope | undefined {
    let scope = this.ambient.getStore();
    while (scope?.isGone) scope = scope.parent;
    return scope;
  }

  private connected(): Promise<DatabaseConnections> {
    if (this.closed) return Promise.reject(new DatabaseError('other', 'The database is closed.'));
    return (this.opening ??= this.connect());
  }

  private connect(): Promise<DatabaseConnections> {
    const connecting = this.outside(async () => {
      const connections = await this.dialect.connect();
      try {
        await this.options.prepare?.(this.openingDatabase(connections));
      } catch (error) {
        await connections.close();
        throw error;
      }
      connections.onForeignCommit(() => void this.externalChange());
      this.connections = connections;
      return connections;
    });
    connecting.catch(() => {
      if (this.opening === connecting) this.opening = undefined;
    });
    return connecting;
  }

  private openingDatabase(connections: DatabaseConnections): OpeningDatabase {
    return {
      read: (statement) => connections.read(statement),
      migrate: (work) =>
        connections.withoutForeignKeys(async () => {
          const scope = new TransactionScope();
          await scope.begin(() => connections.begin());
          return this.ambient.run(scope, () => this.conduct(scope, work));
        }),
    };
  }

  private async begin(scope: TransactionScope, deadline?: AbortSignal): Promise<void> {
    await scope.begin(async () => (this.connections ?? (await this.connected())).begin(deadline), deadline);
  }

  private async conduct<T>(scope: TransactionScope, work: () => Promise<T>, deadline?: AbortSignal): Promise<T> {
    try {
      const result = await unlessAborted(work, deadline);
      await this.finish(scope, deadline);
      return result;
    } catch (error) {
      const due = await scope.rollback({ reason: error }).catch((failure: unknown) => {
        this.logger.error('A transaction could not be rolled back.', stackOf(failure));
        return [];
      });
      await this.runAll(due);
      throw error;
    }
  }

  private async finish(scope: TransactionScope, deadline?: AbortSignal): Promise<void> {
    const due = await scope.commit((work) => this.committed(work), deadline);
    await this.runAll(due);
  }

  private committed(work: CommittedWork): void {
    if (work.wrote) this.versions.count(work.tables);
    for (const each of work.onCommit) {
      try {
        each();
      } catch (error) {
        this.logger.error('Work at a commit failed.', stackOf(error));
      }
    }
  }

  private async runAll(due: readonly AfterWork[]): Promise<void> {
    for (const work of due) {
      try {
        await this.outside(work);
      } catch (error) {
        this.logger.error('Work after a transaction failed.', stackOf(error));
      }
    }
  }

  private externalChange(): Promise<void> {
    this.versions.count(undefined);
    this.reloading = this.runAll([...this.externalChangeListeners]);
    return this.reloading;
  }

  private async perform<T>(statement: CompiledSql, work: () => Promise<T>): Promise<T> {
    const started = this.options.trace === undefined ? 0 : performance.now();
    try {
      return await work();
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'corrupt') {
        for (const listener of this.damageListeners) listener(error);
      }
      throw error;
    } finally {
      this.options.trace?.(statement.sql, performance.now() - started);
    }
  }
}

/** Lets go of work when the signal aborts; it may end later, unheard. */
async function unlessAborted<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
