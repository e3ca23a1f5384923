import { performance } from 'node:perf_hooks';
import { Logger } from '@nestjs/common';
import type { ClientBase, PoolClient } from 'pg';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import { shownName } from '../../kernel/sql/postgres-names.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { CompiledSql } from '../compiled-sql.js';
import { type EndTurn, TurnQueue } from '../../kernel/turn-queue.js';
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
import { PlaceNeeded } from '../transaction-scope.js';
import { JointReads } from './joint-reads.js';
import { DEFINITIONS_VERSION, KnownDefinitions } from './known-definitions.js';
import { LONG, LongWork } from './long-work.js';
import { OpeningChecks, IS_READ_ONLY } from './opening-checks.js';
import { BUILDING_PREFIX } from './postgres-ddl.js';
import { needsOtherConnection, isOutdatedPlan } from './postgres-errors.js';
import type { PostgresOptions } from './postgres-options.js';
import { limitStatements, PostgresPool } from './postgres-pool.js';
import { runScriptOn } from './postgres-script.js';
import { quoteName } from './postgres-spelling.js';
import { type PostgresResult, runOn } from './postgres-statement.js';
import { requireHarmless } from './postgres-text.js';
import { StatementNames } from './statement-names.js';
import { processOf, TransactionStarter } from './transaction-starter.js';

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
  params: [BUILDING_PREFIX],
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

/** How one statement by itself is run. */
interface Turn {
  /** What it has when it takes long. */
  readonly place?: EndTurn;
  /** Present where it may be stopped for taking long; then whether it is to stop before it begins. */
  readonly isStopped?: () => boolean;
}

/** The connections to one PostgreSQL database: a pool of which every transaction has one for itself. */
export class PostgresConnections implements DatabaseConnections {
  private readonly logger = new Logger('Database');
  private readonly slow = new SlowStatements();
  private readonly names = new StatementNames();
  private readonly longWork: LongWork;
  /** Connections for reads. That one takes long is known when it has had one for a while, so that clients take turns. */
  private readonly readTurns: TurnQueue;
  private readonly starter: TransactionStarter;
  private readonly jointReads = new JointReads(
    () => this.pool.connect(),
    async (client, statement) => (await this.runNamed<unknown>(client, statement)).rows,
    (client, errors) => client.release(errors.some(needsOtherConnection) || this.names.areOutdated(client)),
  );
  /** The state of the data that is about to be asked for. */
  private asked?: Promise<string>;
  /** Whether the database takes changes, as it is asked past the pool. */
  private asking?: Promise<boolean>;
  /** Reads what was changed past this process. */
  private readAgain?: () => Promise<void>;

  private constructor(
    private readonly pool: PostgresPool,
    private readonly options: PostgresOptions,
  ) {
    this.longWork = new LongWork({
      pool: options.pool,
      patience: options.queryTimeout,
      cancel: (process) => pool.cancel(process),
    });
    // One is left to transactions and to what is looked up by its key. Of two, one may be taken by what takes long.
    this.readTurns = new TurnQueue(options.pool > 2 ? options.pool - 1 : options.pool);
    this.starter = new TransactionStarter(pool, this.names, this.longWork);
  }

  /** Connects once, to know that it is possible. Rejects with a DatabaseError that says what is wrong. */
  static async open(options: PostgresOptions): Promise<PostgresConnections> {
    const pool = new PostgresPool(options);
    const connections = new PostgresConnections(pool, options);
    try {
      await new OpeningChecks(connections, pool, options).run();
      if (options.tellsOthers) await connections.removeUnfinishedIndexes();
    } catch (error) {
      await pool.close();
      throw isOfPooler(error) ? new DatabaseError('refused', BEHIND_A_POOLER, {}, { cause: error }) : error;
    }
    return connections;
  }

  async read<Row>(statement: CompiledSql): Promise<Row[]> {
    return this.measured(statement, () => this.readInTurn<Row>(statement));
  }

  async readByKey<Row>(statement: CompiledSql): Promise<Row[]> {
    if (this.pool.isBehindPooler) return this.read(statement);
    return this.measured(statement, () => this.jointReads.read(statement));
  }

  /** Those who ask in one turn of the event loop are told together: it is sent after all of them have come. */
  state(): Promise<string> | undefined {
    if (this.pool.isBehindPooler) return undefined;
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
   * decides. It also does where many wait for a connection, behind whom the answer would come too late.
   */
  async isWritable(): Promise<boolean> {
    if (this.pool.isBusy) return this.isWritableAnew();
    const client = await this.pool.connect();
    let onlyReads = true;
    try {
      onlyReads = await doesOnlyRead(client);
    } finally {
      client.release(onlyReads);
    }
    return !onlyReads || this.isWritableAnew();
  }

  /** Asked once at a time: a database that hangs lets nobody in for seconds. */
  private isWritableAnew(): Promise<boolean> {
    this.asking ??= this.pool
      .directly(async (other) => !(await doesOnlyRead(other)))
      .finally(() => (this.asking = undefined));
    return this.asking;
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
    return this.pool.inTransaction('BEGIN READ ONLY', async (client) => {
      await limitStatements(client, seconds);
      return (await runOn<Row>(client, statement)).rows;
    });
  }

  async write<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    const result = await this.run<Row>(statement);
    this.pool.committed();
    return result;
  }

  begin(options: TransactionOptions = {}): MaybePromise<TransactionConnection> {
    return this.starter.begin(options);
  }

  beginSnapshot(): Promise<TransactionConnection> {
    return this.starter.beginSnapshot();
  }

  /** References are checked here by constraints that migrations name themselves. */
  withoutForeignKeys<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async runScript(script: SqlScript, committing: () => void): Promise<ScriptResult> {
    requireHarmless(script.text);
    const result = await this.pool.inTransaction(
      script.writes ? 'BEGIN' : 'BEGIN READ ONLY',
      async (client) => {
        await limitStatements(client, script.timeout);
        return runScriptOn(client, script);
      },
      committing,
    );
    // Nobody here knows what it has changed.
    if (script.writes) await this.readAgain?.();
    return result;
  }

  async writeRows({ parts }: RowsToWrite): Promise<void> {
    await this.pool.inTransaction('BEGIN', async (client) => {
      for (const { sql, rows } of parts) await Promise.all(rows.map((params) => runOn(client, { sql, params })));
    });
  }

  async runOutsideTransaction(sql: string): Promise<void> {
    await this.pool.directly((client) => runOn(client, { sql, params: [] }));
  }

  async empty(): Promise<void> {
    for (const { statement } of await this.read<{ statement: string }>(REMOVALS))
      await this.write({ sql: statement, params: [] });
  }

  /** A table of somebody else is left out by the server, which warns of it. */
  async vacuum(tables: readonly string[], onTable?: (table: string) => void): Promise<void> {
    await this.pool.directly(async (client) => {
      for (const table of tables) {
        onTable?.(table);
        await runOn(client, { sql: `VACUUM (ANALYZE) ${quoteName(table)}`, params: [] });
      }
    });
  }

  async compact(): Promise<void> {
    const client = await this.pool.connect();
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
    this.pool.onCommit(listener);
    if (this.options.hasPeers) this.starter.definitions = new KnownDefinitions(listener);
  }

  /** Asks whether definitions or settings have changed; messages about it come a moment later. */
  catchUp(): MaybePromise<void> {
    const { definitions } = this.starter;
    return definitions && this.lookForVersion(definitions);
  }

  async lookForForeignCommits(): Promise<void> {}

  /** Waits for the transactions that have begun. */
  close(): Promise<void> {
    return this.pool.close();
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

  /** One that takes long has a connection only in its turn. */
  private async readInTurn<Row>(statement: CompiledSql): Promise<Row[]> {
    const { longWork } = this;
    const { sql, ip = '' } = statement;
    if (!longWork.isKnown(sql)) {
      try {
        return await this.readFairly<Row>(statement, { isStopped: () => longWork.isKnown(sql) });
      } catch (error) {
        if (!(error instanceof PlaceNeeded)) throw error;
        longWork.learn(sql);
      }
    }
    const place = await longWork.place(undefined, clientOf(ip));
    const started = performance.now();
    try {
      return await this.readFairly<Row>(statement, { place });
    } finally {
      place();
      if (performance.now() - started < LONG) longWork.forget(sql);
    }
  }

  private async readFairly<Row>(statement: CompiledSql, turn: Turn): Promise<Row[]> {
    const client = clientOf(statement.ip ?? '');
    const { readTurns } = this;
    const endTurn = readTurns.tryAcquire(undefined, client) ?? (await readTurns.acquire(undefined, client));
    try {
      return (await this.run<Row>(statement, turn)).rows;
    } finally {
      endTurn();
    }
  }

  /** One statement by itself. Rejects with PlaceNeeded when it takes long and has no place for that. */
  private async run<Row>(statement: CompiledSql, { place, isStopped }: Turn = {}): Promise<PostgresResult<Row>> {
    const client = await this.pool.connect();
    if (isStopped?.()) {
      client.release();
      throw new PlaceNeeded();
    }
    const { isBehindPooler } = this.pool;
    // Nobody knows which process of the server is behind a pooler.
    const mayBeStopped = (): boolean => isStopped !== undefined && !isBehindPooler;
    const asker = clientOf(statement.ip ?? '');
    const held = this.longWork.hold({ process: processOf(client), mayBeStopped, place, client: asker });
    let isBroken = false;
    try {
      return await held.watch(() =>
        isBehindPooler ? this.runLimited<Row>(client, statement) : this.runNamed<Row>(client, statement),
      );
    } catch (error) {
      // One that was refused leaves the connection as it was.
      isBroken = needsOtherConnection(error);
      throw error;
    } finally {
      held.end();
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
    const begin = { sql: `BEGIN;${this.pool.limits}`, params: [] };
    const commit = { sql: 'COMMIT', params: [] };
    const steps = [begin, statement, commit].map((each) => runOn<Row>(client, each));
    const [begun, done, ended] = await Promise.allSettled(steps);
    const reasons = [begun!, done!, ended!].flatMap((step) => (step.status === 'rejected' ? [step.reason] : []));
    // Whether the connection is any good counts for more than what was wrong first.
    if (reasons.length > 0) throw reasons.find(needsOtherConnection) ?? reasons[0];
    return (done as PromiseFulfilledResult<PostgresResult<Row>>).value;
  }

  private async lookForVersion(definitions: KnownDefinitions): Promise<void> {
    const [row] = await this.readByKey<{ version: string }>(VERSION_OF_DEFINITIONS);
    await definitions.follow(row!.version);
  }
}

async function doesOnlyRead(client: ClientBase): Promise<boolean> {
  const { rows } = await runOn<{ reads: number }>(client, READ_ONLY);
  return rows[0]!.reads === 1;
}

const BEHIND_A_POOLER = 'it is behind a pooler, and DATABASE_DIRECT_URL has to lead past that';

/** A pooler does not know what connections to the database itself say of themselves. */
function isOfPooler(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message);
}
