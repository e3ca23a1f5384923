import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { andThen, type MaybePromise, orElse } from '../kernel/maybe-promise.js';
import { AmbientTransactions } from './ambient-transactions.js';
import type { CompiledSql } from './compiled-sql.js';
import { DatabaseError } from './database.error.js';
import type {
  DatabaseConnections,
  Dialect,
  KeptRows,
  RowsToWrite,
  ScriptResult,
  SqlScript,
  StatementResult,
} from './dialect.js';
import { AnswerWanted, ForeseenAnswers, NOTHING_FORESEEN, type Question } from './foresight.js';
import { SharedTransactions } from './shared-transactions.js';
import { TableVersions } from './table-versions.js';
import type { TransactionOptions } from './transaction-options.js';
import type { AfterWork, CommitWatch, TransactionScope } from './transaction-scope.js';

export type { CompiledSql } from './compiled-sql.js';

/** What a database does while it opens, before anybody else may use it. */
export interface OpeningDatabase {
  read<Row>(statement: CompiledSql): Promise<Row[]>;
  /** Runs work in a transaction that does not enforce foreign keys. */
  migrate<T>(work: () => Promise<T>): Promise<T>;
}

/** How often a unit of work is begun again because of what others have written meanwhile. */
const MOST_ATTEMPTS = 20;
/** Seconds other writers are kept waiting for an answer that only a transaction can use. */
const LONGEST_HOLD = 1;

/** How a Database is put together. */
export interface DatabaseOptions {
  /** Brings the schema up to date; whatever it throws keeps the database closed. */
  readonly prepare?: (opening: OpeningDatabase) => Promise<void>;
  /** Is told every statement with its milliseconds, for `--dev`. Never given values, which may be secrets. */
  readonly trace?: (sql: string, milliseconds: number) => void;
  /**
   * Whether `enter` may begin a transaction, as query runners in modules of a team do. Without it, requests that only
   * read cost less (see ScopeContext). True by default.
   */
  readonly allowsEnter?: boolean;
}

/**
 * The database: runs statements and units of work. The transaction is ambient: everything called inside
 * `transaction(work)` takes part in it without being handed anything. It opens on first use.
 *
 * Statements reject with a DatabaseError; a reading one that takes longer than the query limit with a 400.
 */
export class Database {
  private readonly transactions: AmbientTransactions;
  private readonly sharedTransactions: SharedTransactions;
  private readonly versions = new TableVersions();
  private readonly definitionReaders = new Set<AfterWork>();
  private readonly externalChangeListeners = new Set<AfterWork>();
  private readonly outsideWatches = new Set<CommitWatch>();
  private readonly damageListeners = new Set<(error: DatabaseError) => void>();
  private connections?: DatabaseConnections;
  private opening?: Promise<DatabaseConnections>;
  private reloading: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    readonly dialect: Dialect,
    private readonly options: DatabaseOptions = {},
  ) {
    this.transactions = new AmbientTransactions(
      (options) => {
        this.sharedTransactions.begin();
        return this.use((connections) => connections.begin(options));
      },
      (tables) => this.versions.count(tables),
      { allowsEnter: options.allowsEnter ?? true },
    );
    this.sharedTransactions = new SharedTransactions(this.transactions);
  }

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

  /**
   * Closes the files for the time of the work and opens them again; whoever needs them meanwhile waits. Files that
   * cannot be opened before are no hindrance: the work may be what repairs them.
   */
  async closedWhile<T>(work: () => Promise<T>): Promise<T> {
    this.requireNoTransaction();
    const connections = await this.connected().catch(() => undefined);
    this.connections = undefined;
    let reopen: (connections: Promise<DatabaseConnections>) => void = () => undefined;
    this.opening = new Promise((resolve) => (reopen = resolve));
    this.forgetFailed(this.opening);
    try {
      await connections?.close();
      return await work();
    } finally {
      await this.watchedOutside(async () => {
        const connecting = this.connect();
        reopen(connecting);
        await connecting;
        await this.externalChange();
      });
      await this.reloading;
    }
  }

  /**
   * The rows of a reading statement: inside a transaction as it sees them, otherwise as last committed. A writing one
   * that gives rows must name the tables it writes.
   */
  async all<Row>(statement: CompiledSql): Promise<Row[]> {
    return this.rows<Row>(statement);
  }

  /** As `all`, on hot paths: the rows themselves where nothing has to be waited for. */
  rows<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    if (statement.writes !== undefined) return andThen(this.write<Row>(statement), ({ rows }) => rows);
    return this.perform(statement, () => {
      const scope = this.transactions.current;
      return scope ? scope.read<Row>(statement) : this.use((connections) => connections.read<Row>(statement));
    });
  }

  /**
   * As `rows`, for what many ask in the same words: one run answers all of them until the next commit. Nobody may change
   * the rows. Not for what changes without a commit, such as a view of the current time.
   */
  sharedRows<Row>(statement: CompiledSql): MaybePromise<readonly Row[]> {
    return this.perform(statement, () => {
      const scope = this.transactions.current;
      return scope ? scope.read<Row>(statement) : this.use((connections) => connections.readShared<Row>(statement));
    });
  }

  /** What `sharedRows` gave, if it is kept for others. */
  keptRows(rows: readonly unknown[]): KeptRows | undefined {
    return this.connections?.keptRows(rows);
  }

  /** The first row of a reading statement. */
  async get<Row>(statement: CompiledSql): Promise<Row | undefined> {
    return (await this.all<Row>(statement))[0];
  }

  /**
   * As `all`, for statements that came from people and are run inside a transaction, where nothing can be cut off:
   * undefined when one might go on for long. Without a transaction it is run, and cut off at the limit.
   */
  async allIfBearable<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    const scope = this.transactions.current;
    return scope ? this.perform(statement, () => scope.readIfBearable<Row>(statement)) : this.all<Row>(statement);
  }

  /**
   * As `rows`, for a rule that decides about a write. One that might go on for long is not asked inside a transaction,
   * where it would stop everybody: what was foreseen counts, or the transaction is given up for the answer
   * (`foreseeing`), or another process answers while nobody else can write, for a second at most. Rejects with a 400
   * when the time is over.
   */
  ruleRows<Row>(question: Question): MaybePromise<readonly Row[]> {
    const scope = this.transactions.current;
    if (!scope) return this.rows<Row>(question);
    return andThen(
      this.use((connections) => connections.isSmall(question)),
      (isSmall) => (isSmall ? this.rows<Row>(question) : this.largeRuleRows<Row>(scope, question)),
    );
  }

  /**
   * Runs a unit of work whose transaction may have to begin more than once: `attempt` must hand the options on to it and
   * have no effect before `endForesight`. A question that may take long is answered outside of any transaction; the
   * answer counts if no table that was read for it has changed when the transaction has begun again.
   */
  foreseeing<T>(attempt: (options: TransactionOptions) => MaybePromise<T>): MaybePromise<T> {
    if (this.inTransaction) return attempt({});
    return orElse(
      () => attempt({ foreseen: NOTHING_FORESEEN }),
      (error) => {
        if (error instanceof AnswerWanted) return this.foresee(attempt, error.question);
        throw error;
      },
    );
  }

  /** From here on the ambient transaction does what cannot be done twice. */
  endForesight(): void {
    const scope = this.transactions.current;
    if (scope?.foreseen) scope.foreseen = undefined;
  }

  /** The instant as of which questions of the ambient transaction are asked, where it begins again because of one. */
  get foreseenSince(): number | undefined {
    return this.transactions.current?.foreseen?.since;
  }

  /** Runs a writing statement in the ambient transaction, or in one of its own when its turn comes. */
  async run(statement: CompiledSql): Promise<{ changes: number }> {
    return this.execute(statement);
  }

  /** Like `run`, with everything the statement gave: the rows of a RETURNING clause, the generated id. */
  async execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    return this.write<Row>(statement);
  }

  /** As `execute`, on hot paths: the result itself where nothing has to be waited for. */
  write<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    return this.perform(statement, () => {
      const scope = this.transactions.current;
      return scope ? scope.write<Row>(statement) : this.writeAlone<Row>(statement);
    });
  }

  /**
   * Runs work in a transaction: committed when it returns, rolled back when it throws. Inside another one it joins
   * that: a failure undoes its own part, and the caller decides about the rest. Resolves after the work that waited
   * for the commit is done.
   */
  async transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.transactions.run(async () => work(), options);
  }

  /**
   * As `transaction`, for work that waits for nothing but the database: others who come at about the same time may
   * share the transaction, which is much quicker. Each is undone alone when it fails. When the commit fails, the work is
   * done once more, so that it must have no effect before `onCommit` or `afterCommit` but in the database.
   */
  sharedTransaction<T>(work: () => MaybePromise<T>, options: TransactionOptions = {}): MaybePromise<T> {
    return this.inTransaction ? this.transactions.run(work) : this.sharedTransactions.run(work, options);
  }

  /**
   * Begins a transaction that the caller itself ends with `commit` or `rollback`; TypeORM's query runners need it.
   * It is ambient for the caller from here on. Prefer `transaction`, which cannot be forgotten. Outside of one it
   * needs the option `allowsEnter`.
   */
  enter(): { readonly scope: TransactionScope; readonly begun: Promise<void> } {
    return this.transactions.enter();
  }

  /** Commits what `enter` began. */
  commit(scope: TransactionScope): Promise<void> {
    return this.transactions.commit(scope);
  }

  /** Undoes what `enter` began. */
  rollback(scope: TransactionScope): Promise<void> {
    return this.transactions.rollback(scope);
  }

  /** Runs work inside what `enter` began, unless the caller is inside it already. */
  within<T>(scope: TransactionScope, work: () => T): T {
    return this.transactions.within(scope, work);
  }

  /** Runs work outside of any transaction: for timers and other things that outlive the one around them. */
  outside<T>(work: () => T): T {
    return this.transactions.outside(work);
  }

  /** Is the running code part of a transaction? */
  get inTransaction(): boolean {
    return this.transactions.current !== undefined;
  }

  /** Whether the ambient transaction has written the table so far; also true when that is not known. */
  mayHaveWritten(table: string): boolean {
    return this.transactions.current?.mayHaveWritten(table) ?? false;
  }

  /** Stands for the ambient transaction: the same object from its begin to its end; undefined without one. */
  get transactionKey(): object | undefined {
    return this.transactions.current?.root;
  }

  /**
   * Tells when the commit of the ambient transaction is on its way: `watch` is called right before it is asked for,
   * and what that returns once the commit has succeeded, after the work of `onCommit`, or failed. In between nobody
   * can know whether a read saw the state before it or after it. Neither may throw. Does nothing without a transaction.
   */
  aroundCommit(watch: CommitWatch): void {
    this.transactions.current?.aroundCommit(watch);
  }

  /** As `aroundCommit`, for what this process commits without a transaction of its own: scripts, exchanged files. */
  aroundOutsideCommits(watch: CommitWatch): void {
    this.outsideWatches.add(watch);
  }

  /**
   * Runs work at the moment of the commit, before any other writer's turn: for what must happen in commit order.
   * It must not throw or wait. Without a transaction it runs at once.
   */
  onCommit(work: () => void): void {
    const scope = this.transactions.current;
    if (scope) scope.onCommit(work);
    else work();
  }

  /** The last work that was handed to `onCommit` in this part of the ambient transaction, to be added to. */
  get lastOnCommit(): (() => void) | undefined {
    return this.transactions.current?.lastOnCommit;
  }

  /**
   * Runs work after the outermost transaction has committed, in the order it was handed over; at once without a
   * transaction. A failure is logged and changes nothing.
   */
  afterCommit(work: AfterWork): void {
    const scope = this.transactions.current;
    if (scope) scope.afterCommit(work);
    else void this.transactions.runAll([work]);
  }

  /**
   * Runs work after the transaction around it has been rolled back; never without a transaction. In one that was given
   * up already, by a deadline, it runs at once.
   */
  afterRollback(work: AfterWork): void {
    const scope = this.transactions.current;
    if (scope?.hasFailed) void this.transactions.runAll([work]);
    else scope?.afterRollback(work);
  }

  /**
   * A text that changes whenever one of the tables may have changed, also by another process (within half a second).
   * Without tables it changes with every commit.
   */
  version(tables: readonly string[]): string {
    return this.versions.of(tables);
  }

  /**
   * Calls back after something else has committed: another process, at most half a second later, or the SQL console,
   * before its answer. Returns how to stop that.
   */
  onExternalChange(listener: AfterWork): () => void {
    this.externalChangeListeners.add(listener);
    return () => this.externalChangeListeners.delete(listener);
  }

  /**
   * Calls back before everybody whom `onExternalChange` tells. No transaction goes on, none that noticed the change
   * and none after it, before the listener is done: it must only read.
   */
  onForeignDefinitions(listener: AfterWork): void {
    this.definitionReaders.add(listener);
  }

  /** Calls back when a statement finds the database file damaged. Returns how to stop that. */
  onDamage(listener: (error: DatabaseError) => void): () => void {
    this.damageListeners.add(listener);
    return () => this.damageListeners.delete(listener);
  }

  /** Copies the database as last committed to a new file, while everything goes on. */
  snapshot(file: string): Promise<void> {
    return this.use((connections) => connections.snapshot(file));
  }

  /**
   * Stores many rows in a transaction of their own, when nothing else wants the processor. Writers wait meanwhile, for
   * seconds on a busy machine. Rejects with a ProcessUnavailableError where no other process can be started: then
   * nothing was stored.
   */
  async writeRows(rows: RowsToWrite): Promise<void> {
    this.requireNoTransaction();
    await this.use((connections) => connections.writeRows(rows));
    this.versions.count(rows.writes);
  }

  /** Gives the space of deleted rows back to the file system. Writers wait meanwhile. */
  async compact(): Promise<void> {
    this.requireNoTransaction();
    await this.use((connections) => connections.compact());
  }

  /** Moves the journal into the file and refreshes what the query planner knows. */
  async optimize(): Promise<void> {
    this.requireNoTransaction();
    await this.use((connections) => connections.optimize());
  }

  /**
   * Runs the text of a person where it stops nobody and can be cut off. Rejects with a DatabaseError whose message is
   * the database's own reason, or with a 400 when the time is over. Resolves after caches have been reloaded.
   */
  async runScript(script: SqlScript): Promise<ScriptResult> {
    this.requireNoTransaction();
    const result = await this.use((connections) =>
      this.watchedOutside((begin) => connections.runScript(script, begin), { later: true }),
    );
    await this.reloading;
    return result;
  }

  private async foresee<T>(attempt: (options: TransactionOptions) => MaybePromise<T>, first: Question): Promise<T> {
    const foreseen = new ForeseenAnswers(first.now);
    let wanted = first;
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
      const version = this.version(wanted.tables);
      foreseen.keep(wanted, { version, rows: await this.rows(wanted) });
      try {
        return await attempt({ foreseen });
      } catch (error) {
        if (!(error instanceof AnswerWanted)) throw error;
        wanted = error.question;
      }
    }
    throw new BadRequestError('A rule could not be asked, because what it reads changes all the time.');
  }

  private async largeRuleRows<Row>(scope: TransactionScope, question: Question): Promise<readonly Row[]> {
    const { tables } = question;
    const isUntouched = tables.length > 0 ? !tables.some((name) => scope.mayHaveWritten(name)) : !scope.hasWritten;
    if (isUntouched) {
      const answer = scope.foreseen?.find(question);
      if (answer && answer.version === this.version(tables)) return answer.rows as readonly Row[];
      if (scope.foreseen) throw new AnswerWanted(question);
      // Whoever writes has locked out all others: what is committed is what this transaction sees.
      return this.use((connections) => connections.readApart<Row>(question, LONGEST_HOLD));
    }
    const rows = await scope.readIfBearable<Row>(question);
    if (rows) return rows;
    throw new BadRequestError('The query would take too long inside a transaction.');
  }

  private async writeAlone<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    this.sharedTransactions.begin();
    const result = await this.use((connections) => connections.write<Row>(statement));
    this.versions.count(statement.writes);
    return result;
  }

  /** Without a detour when they are open: the order of arrival is the order of turns. */
  private use<T>(work: (connections: DatabaseConnections) => Promise<T>): Promise<T>;
  private use<T>(work: (connections: DatabaseConnections) => MaybePromise<T>): MaybePromise<T>;
  private use<T>(work: (connections: DatabaseConnections) => MaybePromise<T>): MaybePromise<T> {
    return this.connections ? work(this.connections) : this.connected().then(work);
  }

  private connected(): Promise<DatabaseConnections> {
    if (this.closed) return Promise.reject(new DatabaseError('other', 'The database is closed.'));
    if (this.opening === undefined) {
      this.opening = this.connect();
      this.forgetFailed(this.opening);
    }
    return this.opening;
  }

  /** The next one who needs the database tries again. */
  private forgetFailed(opening: Promise<DatabaseConnections>): void {
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
  }

  private connect(): Promise<DatabaseConnections> {
    return this.outside(async () => {
      const connections = await this.dialect.connect();
      try {
        await this.options.prepare?.({
          read: async (statement) => connections.read(statement),
          migrate: (work) =>
            connections.withoutForeignKeys(() =>
              this.transactions.runOn((options) => connections.begin(options), work),
            ),
        });
      } catch (error) {
        await connections.close();
        throw error;
      }
      connections.onForeignCommit(() => this.externalChange());
      this.connections = connections;
      return connections;
    });
  }

  /**
   * Runs `work` while foreign keys are not watched, so that a table can be made anew that others refer to. For a time
   * when nobody else writes.
   */
  withoutForeignKeys<T>(work: () => Promise<T>): Promise<T> {
    this.requireNoTransaction();
    return this.use((connections) => connections.withoutForeignKeys(work));
  }

  /** What waits for the writer would wait for ever inside a transaction. */
  private requireNoTransaction(): void {
    if (this.inTransaction) throw new DatabaseError('refused', 'This is not possible inside a transaction.');
  }

  /** Resolves when definitions have been read again; everybody else is told after that. */
  private externalChange(): Promise<void> {
    this.versions.count(undefined);
    const definitions = Promise.resolve(this.transactions.runAll([...this.definitionReaders]));
    this.reloading = definitions.then(() => this.transactions.runAll([...this.externalChangeListeners]));
    return definitions;
  }

  /** Runs work that commits without a transaction; with `later` the commit comes when the work says so. */
  private async watchedOutside<T>(
    work: (begin: () => void) => Promise<T>,
    { later = false }: { readonly later?: boolean } = {},
  ): Promise<T> {
    const ends: (() => void)[] = [];
    const begin = (): void => void ends.push(...[...this.outsideWatches].map((watch) => watch()));
    if (!later) begin();
    try {
      return await work(begin);
    } finally {
      for (const end of ends) end();
    }
  }

  /** Keeps an eye on a statement. On the way of every read: nothing more than needed. */
  private perform<T>({ sql }: CompiledSql, work: () => MaybePromise<T>): MaybePromise<T> {
    const { trace } = this.options;
    if (trace) return this.traced(work, (milliseconds) => trace(sql, milliseconds));
    try {
      const running = work();
      return running instanceof Promise ? running.catch((error: unknown) => this.fail(error)) : running;
    } catch (error) {
      return this.fail(error);
    }
  }

  private async traced<T>(work: () => MaybePromise<T>, trace: (milliseconds: number) => void): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      return this.fail(error);
    } finally {
      trace(performance.now() - started);
    }
  }

  /** Fails with this error, when all is done that it gives rise to. */
  private fail(error: unknown): Promise<never> {
    if (error instanceof DatabaseError && error.kind === 'corrupt') {
      for (const listener of this.damageListeners) listener(error);
    }
    // A table or column is not there: another process may have changed it, and whoever asked may want to know.
    const isMissing = error instanceof DatabaseError && error.kind === 'syntax' && !this.inTransaction;
    if (!isMissing || !this.connections) throw error;
    return this.connections
      .lookForForeignCommits()
      .catch(() => undefined)
      .then(() => Promise.reject(error));
  }
}
