import { performance } from 'node:perf_hooks';
import { Logger } from '@nestjs/common';
import pg, { type PoolClient } from 'pg';
import { ConflictError } from '../../kernel/errors/conflict.error.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import { shownName } from '../../kernel/sql/postgres-names.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type {
  DatabaseConnections,
  DatabaseSizes,
  RowsToWrite,
  ScriptResult,
  SqlScript,
  StatementResult,
  TransactionConnection,
} from '../dialect.js';
import { type SlowStatement, SlowStatements } from '../slow-statements.js';
import type { TransactionOptions } from '../transaction-options.js';
import { DEFINITIONS, DefinitionsLock, type Exclusion } from './definitions-lock.js';
import { LateTransaction } from './late-transaction.js';
import { JointCommits } from './joint-commits.js';
import { JointReads } from './joint-reads.js';
import { DEFINITIONS_VERSION, KnownDefinitions } from './known-definitions.js';
import { OpeningChecks, IS_READ_ONLY } from './opening-checks.js';
import { givesUpConnection, isOutdatedPlan, translatePostgresError } from './postgres-errors.js';
import { BUILDING } from './postgres-ddl.js';
import { quoteName, withStoredNames } from './postgres-spelling.js';
import { PostgresNotices } from './postgres-notices.js';
import { requireKnownTls } from './postgres-address.js';
import type { PostgresOptions } from './postgres-options.js';
import { newClient, newPool } from './several-servers.js';
import { StatementNames } from './statement-names.js';
import { type PostgresResult, runOn } from './postgres-statement.js';
import { requireHarmless } from './postgres-text.js';
import { PostgresTransaction, type Start } from './postgres-transaction.js';

const CONNECT_MILLISECONDS = 10_000;

const VERSION_OF_DEFINITIONS: CompiledSql = { sql: `SELECT (${DEFINITIONS_VERSION}) AS version`, params: [] };

const SIZES: CompiledSql = {
  sql: "SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm') UNION ALL SELECT NULL, pg_database_size(current_database())::float8",
  params: [],
};

/** A standby, or one that was told so. */
const READ_ONLY: CompiledSql = {
  sql: `SELECT ${IS_READ_ONLY} AS reads`,
  params: [],
};

/** Those that nobody is building at this moment. */
const UNFINISHED_INDEXES: CompiledSql = {
  sql: `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i'
    AND starts_with(relname::text, $1) AND oid NOT IN (SELECT index_relid FROM pg_stat_progress_create_index WHERE index_relid IS NOT NULL)`,
  params: [BUILDING],
};

/** From so many milliseconds on a statement is remembered: what is quicker nobody looks for. */
const FELT = 2;

/**
 * Two snapshots of one server that are written alike show the same; another server began at another time. Those of a
 * standby leave out what runs, so that it is also asked how far it has followed.
 */
const STATE: CompiledSql = {
  sql: `SELECT concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time(), pg_last_wal_replay_lsn()) AS state`,
  params: [],
};

/** What takes away everything that the schema has, functions last: indexes and views are made with them. */
const REMOVALS: CompiledSql = {
  sql: `SELECT format('DROP %s IF EXISTS %I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, relname) AS statement
      FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')
    UNION ALL
    SELECT format('DROP FUNCTION IF EXISTS %s CASCADE', oid::regprocedure)
      FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND (proname LIKE 'roost\\_%' OR oid IN (
        SELECT tgfoid FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace))`,
  params: [],
};

/** What the server says when a transaction begins. */
interface Beginning {
  readonly pid: number;
  readonly version?: string;
}

/** The connections to one PostgreSQL database: a pool of which every transaction has one for itself. */
export class PostgresConnections implements DatabaseConnections {
  private readonly logger = new Logger('Database');
  private readonly slow = new SlowStatements();
  private readonly notices?: PostgresNotices;
  private readonly names = new StatementNames();
  private readonly directUrl: string;
  /** What a transaction begins with, so that its statements are cut off. Empty where the connections know the limit. */
  private readonly limit: string;
  private readonly jointReads = new JointReads(
    () => this.connection(),
    async (client, statement) => (await this.runNamed<unknown>(client, statement)).rows,
    (client, errors) => client.release(errors.some(givesUpConnection) || this.names.areOutdated(client)),
  );
  /** The state of the data that is about to be asked for. */
  private asked?: Promise<string>;
  /** Where other processes serve the same data. */
  private definitions?: KnownDefinitions;
  private readonly definitionsLock = new DefinitionsLock();
  private readonly jointCommits = new JointCommits({
    connect: () => this.connection(),
    definitions: this.definitionsLock,
    names: this.names,
    wrote: () => this.notices?.committed(),
  });
  /** Reads what was changed past this process. */
  private readAgain?: () => Promise<void>;

  private constructor(
    private readonly pool: pg.Pool,
    private readonly options: PostgresOptions,
  ) {
    this.directUrl = options.directUrl ?? options.url;
    // What is said to a session is forgotten, or belongs to somebody else, behind a pooler.
    this.limit = this.directUrl === options.url ? '' : limitsOf(options);
    if (options.tellsOthers) this.notices = new PostgresNotices(this.directUrl, pool);
    // Whoever uses a connection that breaks is told by its statement, and whoever needs the next one gets another.
    pool.on('connect', (client) => client.on('error', () => undefined));
    pool.on('error', (error) => this.logger.warn(`A connection to the database has ended: ${error.message}`));
  }

  /** Connects once, to know that it is possible. Rejects with a DatabaseError that says what is wrong. */
  static async open(options: PostgresOptions): Promise<PostgresConnections> {
    const { url, directUrl = url, queryTimeout, lockTimeout } = options;
    requireKnownTls(url);
    requireKnownTls(directUrl);
    const pool = newPool(pg, url, {
      max: options.pool,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      // A pooler refuses connections that say more about themselves than it knows.
      ...(directUrl === url && {
        statement_timeout: milliseconds(queryTimeout),
        ...(lockTimeout !== undefined && { lock_timeout: milliseconds(lockTimeout) }),
      }),
      pipeline: true,
    });
    const connections = new PostgresConnections(pool, options);
    try {
      await new OpeningChecks(connections, options).run();
      if (options.tellsOthers) await connections.removeUnfinishedIndexes();
    } catch (error) {
      await pool.end();
      throw isOfPooler(error) ? new DatabaseError('refused', BEHIND_A_POOLER, {}, { cause: error }) : error;
    }
    return connections;
  }

  async read<Row>(statement: CompiledSql): Promise<Row[]> {
    return this.measured(statement, async () => (await this.run<Row>(statement)).rows);
  }

  async readByKey<Row>(statement: CompiledSql): Promise<Row[]> {
    if (this.limit !== '') return this.read(statement);
    return this.measured(statement, () => this.jointReads.read(statement));
  }

  /** Those who ask in one turn of the event loop are told together: it is sent after all of them have come. */
  state(): Promise<string> | undefined {
    if (this.limit !== '') return undefined;
    if (!this.asked) {
      this.asked = this.readByKey<{ state: string }>(STATE).then(([row]) => row!.state);
      setImmediate(() => (this.asked = undefined));
    }
    return this.asked;
  }

  /** With the time that they waited for a connection. */
  slowest(): readonly SlowStatement[] {
    return this.slow.all();
  }

  /**
   * A connection may lead to a server that has handed its part to another one, or remember how it was: so a new one
   * decides.
   */
  async isWritable(): Promise<boolean> {
    const client = await this.connection();
    let onlyReads = true;
    try {
      onlyReads = await doesOnlyRead(client);
    } finally {
      client.release(onlyReads);
    }
    return !onlyReads || this.directly(async (other) => !(await doesOnlyRead(other)));
  }

  async sizes(): Promise<DatabaseSizes> {
    const rows = await this.read<{ name: string | null; bytes: number }>(SIZES);
    const tables = rows.flatMap(({ name, bytes }) => (name === null ? [] : [[shownName(name), bytes] as const]));
    return { database: rows.find(({ name }) => name === null)!.bytes, tables: new Map(tables) };
  }

  /** What runs there holds up nobody here. */
  isSmall(): boolean {
    return true;
  }

  async readWithTimeout<Row>(statement: CompiledSql, seconds: number): Promise<Row[]> {
    return this.inTransaction('BEGIN READ ONLY', async (client) => {
      await limit(client, seconds);
      return (await runOn<Row>(client, statement)).rows;
    });
  }

  async write<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    const result = await this.run<Row>(statement);
    this.notices?.committed();
    return result;
  }

  /**
   * Definitions change only when nobody writes by the old ones: every transaction holds a lock that one which changes
   * them has for itself.
   */
  begin(options: TransactionOptions = {}): MaybePromise<TransactionConnection> {
    // Whether others have changed them is known when the server has been asked.
    if (options.exclusive || this.definitions || this.limit !== '') return this.beginNow(options);
    const { isFree, changes } = this.definitionsLock;
    if (!options.late || options.deadline || !isFree) return this.beginLater(options);
    return new LateTransaction(
      (put) => this.beginLater(options, { put, changes }),
      (statement) => this.jointCommits.commit(statement, changes),
    );
  }

  /** Of rows that change meanwhile it has the old ones, whoever holds whatever locks; tables that change break it. */
  async beginSnapshot(): Promise<TransactionConnection> {
    const client = await this.connection();
    let process: number;
    const snapshot = new PostgresTransaction(client, undefined, {
      giveBack: (isBroken) => client.release(isBroken),
      cancel: () => this.cancel(process),
      wrote: () => undefined,
      becomeExclusive: (lock) => lock(),
    });
    try {
      await snapshot.execute({ sql: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;${this.limit}`, params: [] });
      // The moment it shows is that of the first statement.
      const { rows } = await snapshot.execute<{ pid: number }>({ sql: 'SELECT pg_backend_pid() AS pid', params: [] });
      process = rows[0]!.pid;
      return snapshot;
    } catch (error) {
      await snapshot.rollback();
      throw error;
    }
  }

  /** References are checked here by constraints that migrations name themselves. */
  withoutForeignKeys<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async runScript({ text, writes, timeout, maxRows }: SqlScript, committing: () => void): Promise<ScriptResult> {
    requireHarmless(text);
    const result = await this.inTransaction(
      writes ? 'BEGIN' : 'BEGIN READ ONLY',
      async (client) => {
        await limit(client, timeout);
        const started = performance.now();
        const results = await client
          .query({ text: withStoredNames(text), rowMode: 'array', types: AS_WRITTEN })
          .catch((error: unknown) => {
            throw translatePostgresError(error);
          });
        const { fields, rows, rowCount, command } = [results].flat().at(-1)!;
        return {
          columns: writes
            ? []
            : fields.map(({ name, dataTypeID }) => ({
                name: shownName(name),
                type: String(dataTypeID),
                nullable: true,
              })),
          rows: writes ? [] : (rows.slice(0, maxRows) as ScriptResult['rows']),
          // Of a reading statement it tells how many rows there are.
          changes: CHANGING.has(command) ? (rowCount ?? 0) : 0,
          milliseconds: performance.now() - started,
        };
      },
      committing,
    );
    // Nobody here knows what it has changed.
    if (writes) await this.readAgain?.();
    return result;
  }

  async writeRows({ parts }: RowsToWrite): Promise<void> {
    await this.inTransaction('BEGIN', async (client) => {
      for (const { sql, rows } of parts) await Promise.all(rows.map((params) => runOn(client, { sql, params })));
    });
  }

  async runOutsideTransaction(sql: string): Promise<void> {
    await this.directly((client) => runOn(client, { sql, params: [] }));
  }

  async empty(): Promise<void> {
    for (const { statement } of await this.read<{ statement: string }>(REMOVALS))
      await this.write({ sql: statement, params: [] });
  }

  /** A table of somebody else is left out by the server, which warns of it. */
  async vacuum(tables: readonly string[], onTable?: (table: string) => void): Promise<void> {
    await this.directly(async (client) => {
      for (const table of tables) {
        onTable?.(table);
        await runOn(client, { sql: `VACUUM (ANALYZE) ${quoteName(table)}`, params: [] });
      }
    });
  }

  async compact(): Promise<void> {
    const client = await this.connection();
    let isBroken = true;
    try {
      await runOn(client, { sql: 'VACUUM', params: [] });
      isBroken = false;
    } finally {
      client.release(isBroken);
    }
  }

  /** The server does it by itself (autovacuum). */
  async optimize(): Promise<void> {}

  onForeignCommit(listener: () => Promise<void>): void {
    this.readAgain = listener;
    this.notices?.onCommit(listener);
    if (this.options.hasPeers) this.definitions = new KnownDefinitions(listener);
  }

  /** Asks whether definitions or settings have changed; messages about it come a moment later. */
  catchUp(): MaybePromise<void> {
    return this.definitions && this.lookForVersion(this.definitions);
  }

  async lookForForeignCommits(): Promise<void> {}

  /** Waits for the transactions that have begun. */
  async close(): Promise<void> {
    await this.notices?.close();
    await this.pool.end();
  }

  /** On a connection outside of the pool, all of whose places may be taken by those that wait for it. */
  async directly<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const other = newClient(pg, this.directUrl, { connectionTimeoutMillis: CONNECT_MILLISECONDS });
    // Whatever goes wrong on it, the answer to the query does not come.
    other.on('error', () => undefined);
    try {
      await other.connect();
      return await work(other);
    } finally {
      await other.end().catch(() => undefined);
    }
  }

  private async beginNow(options: TransactionOptions): Promise<PostgresTransaction> {
    for (;;) {
      const transaction = await this.tryBegin(options);
      if (transaction) return transaction;
    }
  }

  /** Nothing is asked of the server yet: the beginning goes along with the first statement. */
  private async beginLater(
    { deadline }: TransactionOptions,
    done?: { readonly put: CompiledSql[]; readonly changes: number },
  ): Promise<PostgresTransaction> {
    const client = await this.connection(deadline);
    const begins = await this.definitionsLock.share();
    try {
      deadline?.throwIfAborted();
      if (done && done.changes !== this.definitionsLock.changes)
        throw new DatabaseError('busy', 'Definitions have changed meanwhile.', {}, { answer: new ConflictError() });
    } catch (error) {
      begins();
      client.release();
      throw error;
    }
    return this.transactionOn(client, { start: { begins, put: done?.put } });
  }

  /** Undefined when others had changed definitions or settings. Those have been read then: it is to be tried again. */
  private async tryBegin(options: TransactionOptions): Promise<PostgresTransaction | undefined> {
    const { deadline, exclusive } = options;
    const client = await this.connection(deadline);
    const { definitions, definitionsLock } = this;
    const exclusion = exclusive ? definitionsLock.exclude() : undefined;
    let process: number;
    let newer: string | undefined;
    try {
      await exclusion?.othersHaveBegun();
      const { pid, version } = await this.sendBeginning(client, options);
      process = pid;
      if (version !== undefined && !definitions!.are(version)) newer = version;
      if (newer !== undefined) await runOn(client, { sql: 'ROLLBACK', params: [] });
      else {
        await (exclusion ? exclusion.take() : definitionsLock.whenTaken());
        deadline?.throwIfAborted();
      }
    } catch (error) {
      exclusion?.end();
      client.release(true);
      throw error;
    }
    if (newer === undefined) return this.transactionOn(client, { process, exclusion });
    exclusion?.end();
    client.release();
    await definitions!.follow(newer);
    return undefined;
  }

  /** Gives the server's process and, where others may change them, the version of the definitions. */
  private async sendBeginning(client: PoolClient, { deadline, exclusive }: TransactionOptions): Promise<Beginning> {
    deadline?.throwIfAborted();
    const lock = exclusive ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    const begin = `BEGIN;${this.limit} SELECT pg_backend_pid() AS pid, ${lock}(${DEFINITIONS})`;
    // Nobody changes definitions once the lock is held, so that it has to be a statement after that.
    const look = this.definitions ? `; SELECT pg_backend_pid() AS pid, (${DEFINITIONS_VERSION}) AS version` : '';
    const begun = runOn<Beginning>(client, { sql: begin + look, params: [] });
    const stop = deadline && aborted(deadline);
    try {
      const { rows } = await (stop ? Promise.race([begun, stop.happened]) : begun);
      return rows[0]!;
    } finally {
      stop?.forget();
    }
  }

  private transactionOn(
    client: PoolClient,
    { process = processOf(client), exclusion, start }: { process?: number; exclusion?: Exclusion; start?: Start },
  ): PostgresTransaction {
    let alone = exclusion;
    return new PostgresTransaction(
      client,
      // Definitions change in between, and behind a pooler every transaction may have another session.
      alone || this.limit !== '' ? undefined : this.names,
      {
        giveBack: (isBroken) => {
          if (alone) this.names.forget();
          client.release(isBroken || this.names.areOutdated(client));
          alone?.end();
        },
        cancel: () => this.cancel(process),
        wrote: () => this.notices?.committed(),
        becomeExclusive: async (lock) => {
          if (alone) return;
          alone = this.definitionsLock.exclude();
          await alone.othersHaveBegun();
          await lock();
          await alone.take();
        },
      },
      start,
    );
  }

  private async measured<T>(statement: CompiledSql, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      const milliseconds = performance.now() - started;
      if (milliseconds >= FELT) this.slow.add(statement.sql, milliseconds);
    }
  }

  /** Of a process that has ended: every write would go on to keep them, and be refused by those that are unique. */
  private async removeUnfinishedIndexes(): Promise<void> {
    for (const { name } of await this.read<{ name: string }>(UNFINISHED_INDEXES)) {
      this.logger.warn('An index that was not completed is removed.');
      this.runOutsideTransaction(`DROP INDEX CONCURRENTLY IF EXISTS ${quoteName(name)}`).catch((error: unknown) =>
        this.logger.warn(`An index that was not completed could not be removed: ${String(error)}`),
      );
    }
  }

  /** A connection of one's own, when one is free. An aborted signal gives up the place and rejects with its reason. */
  private async connection(signal?: AbortSignal): Promise<PoolClient> {
    signal?.throwIfAborted();
    const connecting = this.pool.connect();
    const gone = signal && aborted(signal);
    try {
      return await (gone ? Promise.race([connecting, gone.happened]) : connecting);
    } catch (error) {
      // It comes later, or never.
      connecting.then((client) => client.release()).catch(() => undefined);
      throw translatePostgresError(error);
    } finally {
      gone?.forget();
    }
  }

  private async inTransaction<T>(
    begin: string,
    work: (client: PoolClient) => Promise<T>,
    committing?: () => void,
  ): Promise<T> {
    const client = await this.connection();
    let isBroken = true;
    try {
      await runOn(client, { sql: begin, params: [] });
      const result = await work(client);
      committing?.();
      await runOn(client, { sql: 'COMMIT', params: [] });
      isBroken = false;
      this.notices?.committed();
      return result;
    } catch (error) {
      isBroken = await runOn(client, { sql: 'ROLLBACK', params: [] }).then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  /** Stops what the process of the server is doing whose transaction is open. */
  private async cancel(process: number): Promise<void> {
    await this.directly((other) => other.query('SELECT pg_cancel_backend($1)', [process]));
  }

  /** One statement by itself. */
  private async run<Row>(statement: CompiledSql): Promise<PostgresResult<Row>> {
    const client = await this.connection();
    if (this.limit !== '') return this.runLimited<Row>(client, statement);
    let isBroken = false;
    try {
      return await this.runNamed<Row>(client, statement);
    } catch (error) {
      // One that was refused leaves the connection as it was.
      isBroken = givesUpConnection(error);
      throw error;
    } finally {
      client.release(isBroken || this.names.areOutdated(client));
    }
  }

  private async runNamed<Row>(client: PoolClient, statement: CompiledSql): Promise<PostgresResult<Row>> {
    try {
      return await runOn<Row>(client, statement, this.names.of(client, statement.sql));
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      this.names.forget();
      return runOn<Row>(client, statement);
    }
  }

  /** In a transaction with a limit of its own; all of it is sent at once. */
  private async runLimited<Row>(client: PoolClient, statement: CompiledSql): Promise<PostgresResult<Row>> {
    const begin = { sql: `BEGIN;${this.limit}`, params: [] };
    const commit = { sql: 'COMMIT', params: [] };
    const steps = [begin, statement, commit].map((each) => runOn<Row>(client, each));
    const [begun, done, ended] = await Promise.allSettled(steps);
    client.release(
      [begun!, done!, ended!].some((step) => step.status === 'rejected' && givesUpConnection(step.reason)),
    );
    for (const step of [begun!, done!, ended!]) if (step.status === 'rejected') throw step.reason;
    return (done as PromiseFulfilledResult<PostgresResult<Row>>).value;
  }

  private async lookForVersion(definitions: KnownDefinitions): Promise<void> {
    const [row] = await this.readByKey<{ version: string }>(VERSION_OF_DEFINITIONS);
    await definitions.follow(row!.version);
  }
}

async function doesOnlyRead(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await runOn<{ reads: number }>(client, READ_ONLY);
  return rows[0]!.reads === 1;
}

/** The process of the server behind a connection that leads to the database itself. */
function processOf(client: PoolClient): number {
  return (client as unknown as { readonly processID: number }).processID;
}

/** Commands that tell how many rows they have changed. */
const CHANGING: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** What is shown to people has all its digits. */
const AS_WRITTEN = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

const BEHIND_A_POOLER = 'it is behind a pooler, and DATABASE_DIRECT_URL has to lead past that';

/** A pooler does not know what connections to the database itself say of themselves. */
function isOfPooler(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message);
}

function limitsOf({ queryTimeout, lockTimeout }: PostgresOptions): string {
  const locks = lockTimeout === undefined ? '' : ` SET LOCAL lock_timeout = ${milliseconds(lockTimeout)};`;
  return ` SET LOCAL statement_timeout = ${milliseconds(queryTimeout)};${locks}`;
}

function milliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}

/** For the transaction alone, so that a pooler may give the connection to somebody else after it. */
async function limit(client: PoolClient, seconds: number): Promise<void> {
  const params = [String(milliseconds(seconds))];
  await runOn(client, { sql: "SELECT set_config('statement_timeout', $1, true)", params });
}

function aborted(signal: AbortSignal): { readonly happened: Promise<never>; readonly forget: () => void } {
  let forget = (): void => undefined;
  const happened = new Promise<never>((_, reject) => {
    const listener = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', listener, { once: true });
    forget = () => signal.removeEventListener('abort', listener);
  });
  return { happened, forget };
}
