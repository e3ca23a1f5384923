import { Logger } from '@nestjs/common';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { SharedTurns } from '../../kernel/turn-queue.js';
import type { CompiledSql } from '../compiled-sql.js';
import { createPrivateFile } from '../data-directory.js';
import { DatabaseError } from '../database.error.js';
import type {
  DatabaseConnections,
  RowsToWrite,
  ScriptResult,
  SqlScript,
  StatementResult,
  TransactionConnection,
} from '../dialect.js';
import { reasonToRefuse } from '../own-tables.js';
import { ChildProcessConnection } from './child-process-connection.js';
import type { TransactionOptions } from '../transaction-options.js';
import type { KillableConnection } from './killable-connection.js';
import { type AcquiredConnection, KillablePool } from './killable-pool.js';
import { Checkpoints, moveJournal } from './checkpoints.js';
import { BUSY_TIMEOUT, connectionPragmas } from './prepare-database.js';
import { ProcessUnavailableError } from '../process-unavailable.error.js';
import { ReadRouter } from './read-router.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { SqliteSnapshot } from './sqlite-snapshot.js';
import { requireHarmless, splitStatements } from './sqlite-text.js';
import { type DedicatedConnection, SqliteWriter, type WriterEvents } from './sqlite-writer.js';
import { withinLimit } from './time-limit.js';

const SNAPSHOT: CompiledSql = { sql: 'SELECT 1 FROM sqlite_schema LIMIT 1', params: [] };
const FILE_SIZE: CompiledSql = {
  sql: 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  params: [],
};
/** With less data hardly any statement is slow. */
const LITTLE_DATA = 4 * 1024 * 1024;
const SLOW_READERS = 4;
const LOOK_MILLISECONDS = 400;
const DOUBT_MILLISECONDS = 500;

/** What the connections to one file need to know. */
export interface SqliteOptions {
  readonly file: string;
  readonly driver: SqliteDriver;
  /** Seconds a reading statement may take. */
  readonly queryTimeout: number;
  /** A table that a file of this application has; one with other tables and without it is refused. */
  readonly ownTable?: string;
  /** The turns to write to it, where other processes write as well. */
  readonly turns?: SharedTurns;
  /** As in OpeningOptions. */
  readonly fills?: boolean;
}

/** The connections to one SQLite file: one that writes, one that reads, and child processes for what may be slow. */
export class SqliteConnections implements DatabaseConnections {
  readonly version?: () => number;
  private readonly writer: SqliteWriter;
  private readonly router: ReadRouter;
  private readonly slowReaders: KillablePool;
  private readonly scriptWriter: KillablePool;
  private readonly rowsWriter: KillablePool;
  private readonly apartWriter: KillablePool;
  private readonly checkpoints: Checkpoints | undefined;
  private readonly looking: NodeJS.Timeout;
  private readonly listeners: (() => Promise<void>)[] = [];
  private readonly logger = new Logger('Database');
  private isReady = false;
  private doubting: NodeJS.Timeout | undefined;

  private constructor(
    writing: SqliteConnection,
    private readonly reading: SqliteConnection,
    private readonly options: SqliteOptions,
  ) {
    const target = { driver: options.driver, file: options.file, busyTimeout: BUSY_TIMEOUT };
    const slow = { ...target, readonly: true, pragmas: connectionPragmas({ writes: false, isApart: true }) };
    const script = { ...target, readonly: false, pragmas: connectionPragmas({ writes: true, isApart: true }) };
    this.slowReaders = new KillablePool(slow, SLOW_READERS);
    this.scriptWriter = new KillablePool(script, 1);
    this.rowsWriter = new KillablePool({ ...script, isBackground: true }, 1);
    this.apartWriter = new KillablePool({ ...script, pragmas: [...script.pragmas, 'wal_autocheckpoint = 0'] }, 1);
    this.router = new ReadRouter(reading, this.slowReaders, options);
    if (reading.version) this.version = () => reading.version!();
    // A driver with threads of its own keeps this one free.
    if (options.driver.blocks) {
      const whileIdle = (work: () => Promise<void>): Promise<void> => this.writer.whileIdle(work);
      this.checkpoints = new Checkpoints(writing, options.driver, this.apartWriter, whileIdle);
    }
    const events: WriterEvents = {
      ...(this.checkpoints && { committed: this.checkpoints.committed }),
      schemaChanged: () => this.router.forgetEstimates(),
      written: (statement, rows) => this.router.written(statement, rows),
      settled: () => this.router.settled(),
      foreignCommit: () => this.foreignCommit(),
    };
    this.writer = new SqliteWriter(writing, events, options.turns);
    this.looking = setInterval(() => void this.look(), LOOK_MILLISECONDS).unref();
  }

  /** Opens the file, which must exist. Rejects with a DatabaseError, for example when it is no database. */
  static async open(options: SqliteOptions): Promise<SqliteConnections> {
    const { driver, file } = options;
    await requireOwn(options);
    const writing = await driver.open(file, { readonly: false, busyTimeout: BUSY_TIMEOUT });
    try {
      for (const pragma of connectionPragmas({ writes: true })) await writing.command(`PRAGMA ${pragma}`);
      await requireWal(writing);
      // From here on the writer waits for other processes without blocking the thread.
      await writing.command('PRAGMA busy_timeout = 0');
      const reading = await openReading(options);
      const connections = new SqliteConnections(writing, reading, options);
      await connections.checkpoints?.begin();
      await connections.writer.lookForForeignCommits();
      void connections.startReaders().catch(() => undefined);
      return connections;
    } catch (error) {
      await writing.close();
      throw error;
    }
  }

  read<Row>(statement: CompiledSql): MaybePromise<Row[]> {
    return this.router.read<Row>(statement);
  }

  isSmall(statement: CompiledSql): MaybePromise<boolean> {
    return this.router.isSmall(statement);
  }

  readWithTimeout<Row>(statement: CompiledSql, seconds: number): Promise<Row[]> {
    return this.router.readWithin<Row>(statement, seconds);
  }

  readonly slowest = () => this.router.slow.all();

  write<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    return this.writer.write<Row>(statement);
  }

  begin({ deadline, offThread = false }: TransactionOptions = {}): MaybePromise<TransactionConnection> {
    // A driver with threads of its own needs no other process to keep this one answering.
    if (!offThread || !this.options.driver.blocks) return this.writer.begin(deadline);
    return this.writer.begin(deadline, (signal) => this.acquireApart(signal));
  }

  async beginSnapshot(): Promise<TransactionConnection> {
    const connection = await openReading(this.options);
    try {
      await connection.command('BEGIN');
      // The moment it shows is that of the first statement.
      await connection.all(SNAPSHOT);
      return new SqliteSnapshot(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async withoutForeignKeys<T>(work: () => Promise<T>): Promise<T> {
    // Inside a transaction the pragma does nothing.
    await this.writer.write({ sql: 'PRAGMA foreign_keys = OFF', params: [] });
    try {
      return await work();
    } finally {
      await this.writer.write({ sql: 'PRAGMA foreign_keys = ON', params: [] });
    }
  }

  async runScript(script: SqlScript, committing: () => void): Promise<ScriptResult> {
    const statements = splitStatements(script.text);
    if (statements.length === 0) throw new DatabaseError('refused', 'There is no statement to run.');
    for (const statement of statements) requireHarmless(statement);
    if (!script.writes) return this.runReadingScript(script, statements);
    return this.runWritingScript(script, statements, committing);
  }

  async writeRows({ parts }: RowsToWrite): Promise<void> {
    await this.inWriter(this.rowsWriter, async (connection) => {
      for (const { sql, rows: values } of parts) {
        const rows = values.map((row) => row.map((value) => this.options.driver.toNative(value)));
        await connection.request({ kind: 'rows', sql, rows });
      }
    });
  }

  async snapshot(file: string): Promise<void> {
    await createPrivateFile(file);
    const statements = [`VACUUM INTO '${file.replaceAll("'", "''")}'`];
    await this.slowReaders.use(async (connection) => {
      await connection.request({ kind: 'script', statements });
    });
  }

  compact(): Promise<void> {
    return this.maintain(['VACUUM']);
  }

  optimize(): Promise<void> {
    return this.maintain(['PRAGMA optimize', 'PRAGMA wal_checkpoint(TRUNCATE)']);
  }

  onForeignCommit(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  catchUp(): MaybePromise<void> {
    return this.writer.catchUp();
  }

  lookForForeignCommits(): Promise<void> {
    return this.writer.lookForForeignCommits();
  }

  /**
   * Waits for writers, also in child processes; readers are closed before the last one, so that the journal can be
   * moved completely.
   */
  async close(): Promise<void> {
    clearInterval(this.looking);
    clearTimeout(this.doubting);
    await Promise.all([this.slowReaders.close(), this.scriptWriter.close(), this.rowsWriter.close()]);
    await this.writer.close(async () => {
      await this.apartWriter.close();
      await this.reading.close();
    });
  }

  private async acquireApart(signal?: AbortSignal): Promise<DedicatedConnection | undefined> {
    try {
      return this.dedicated(await this.apartWriter.acquire(signal));
    } catch (error) {
      if (!(error instanceof ProcessUnavailableError)) throw error;
      this.logger.warn(`A slow change holds up others, because no process can be started for it: ${error.message}`);
      return undefined;
    }
  }

  private dedicated({ connection: remote, release }: AcquiredConnection): DedicatedConnection {
    const connection = new ChildProcessConnection(remote, this.options.driver);
    return {
      connection,
      // The reading connection stays at the state before the commit until the caller has been told, or it would read
      // new tables with old definitions.
      committing: async () => {
        await this.reading.command('BEGIN');
        await this.reading.all(SNAPSHOT);
      },
      // COMMIT on a connection that only reads takes effect at once, and fails only when no transaction was open.
      committed: () => void this.reading.command('COMMIT').catch(() => undefined),
      release: async () => {
        // Otherwise the next commit on the main thread would move the whole journal into the file.
        await moveJournal(connection).catch(() => undefined);
        release();
      },
    };
  }

  private async runReadingScript(script: SqlScript, statements: readonly string[]): Promise<ScriptResult> {
    return this.slowReaders.use((connection) =>
      withinLimit(script.timeout, (signal) => this.request(connection, statements, script.most, signal)),
    );
  }

  private async runWritingScript(
    script: SqlScript,
    statements: readonly string[],
    committing: () => void,
  ): Promise<ScriptResult> {
    return this.inWriter(
      this.scriptWriter,
      async (connection, signal) => {
        const result = await this.request(connection, statements, undefined, signal);
        committing();
        return result;
      },
      (run) => withinLimit(script.timeout, run),
    );
  }

  /** Runs work in a transaction of another process, which commits only when the work is done. */
  private async inWriter<T>(
    writer: KillablePool,
    work: (connection: KillableConnection, signal?: AbortSignal) => Promise<T>,
    limited: (run: (signal?: AbortSignal) => Promise<T>) => Promise<T> = (run) => run(),
  ): Promise<T> {
    const run = (connection: KillableConnection) =>
      limited(async (signal) => {
        await connection.request({ kind: 'begin' }, signal);
        try {
          const result = await work(connection, signal);
          await connection.request({ kind: 'commit' });
          return result;
        } catch (error) {
          // SQLite rolls back by itself when the disk is full; otherwise the transaction ends with its process.
          if (connection.isAlive) await connection.request({ kind: 'rollback' }).catch(() => connection.kill());
          throw error;
        }
      });
    return this.writer.whileIdle(() => writer.use(run));
  }

  private async request(
    connection: KillableConnection,
    statements: readonly string[],
    most: SqlScript['most'] | undefined,
    signal?: AbortSignal,
  ): Promise<ScriptResult> {
    const answer = await connection.request<ScriptResult>({ kind: 'script', statements, most }, signal);
    return { ...answer.result, milliseconds: answer.milliseconds };
  }

  private async maintain(statements: readonly string[]): Promise<void> {
    await this.writer.whileIdle(() =>
      this.scriptWriter.use((connection) => connection.request({ kind: 'script', statements })),
    );
  }

  private async foreignCommit(): Promise<void> {
    this.markEstimatesStale();
    await Promise.all(this.listeners.map((listener) => listener()));
  }

  /**
   * Marks the statistics as stale after a while: when other processes write all the time, measuring anew each time
   * would cost more.
   */
  private markEstimatesStale(): void {
    if (!this.options.turns) return this.router.markEstimatesStale();
    this.doubting ??= setTimeout(() => {
      this.doubting = undefined;
      this.router.markEstimatesStale();
    }, DOUBT_MILLISECONDS).unref();
  }

  /** Keeps a child process ready for slow statements as soon as there is enough data. */
  private async startReaders(): Promise<void> {
    if (this.isReady) return;
    const [size] = await this.reading.all<{ bytes: number }>(FILE_SIZE);
    if (size!.bytes < LITTLE_DATA) return;
    this.isReady = true;
    // If no process can be started now, one is started when it is needed.
    await this.slowReaders.warmUp();
  }

  private async look(): Promise<void> {
    await this.startReaders().catch(() => undefined);
    // A file that cannot be read now makes the next statement fail.
    await this.writer.lookForForeignCommits().catch(() => undefined);
  }
}

/**
 * Checks that a file is of this application before anything is written to it, even the journal mode. A damaged file is
 * reported by the first statement.
 */
async function requireOwn({ driver, file, ownTable, fills = false }: SqliteOptions): Promise<void> {
  if (ownTable === undefined) return;
  const names = await namesIn(driver, file).catch((): string[] => []);
  const objection = reasonToRefuse(names, { ownTable, fills });
  if (objection !== undefined) throw new DatabaseError('refused', objection);
}

async function openReading({ driver, file }: SqliteOptions): Promise<SqliteConnection> {
  const connection = await driver.open(file, { readonly: true, busyTimeout: BUSY_TIMEOUT });
  for (const pragma of connectionPragmas({ writes: false })) await connection.command(`PRAGMA ${pragma}`);
  return connection;
}

async function namesIn(driver: SqliteDriver, file: string): Promise<string[]> {
  const connection = await driver.open(file, { readonly: true, busyTimeout: BUSY_TIMEOUT });
  try {
    const sql = "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    return (await connection.all<{ name: string }>({ sql, params: [] })).map(({ name }) => name);
  } finally {
    await connection.close();
  }
}

/** Where files cannot be memory-mapped, SQLite silently keeps the old journal mode, with which readers would block. */
async function requireWal(writing: SqliteConnection): Promise<void> {
  const [row] = await writing.all<{ journal_mode: string }>({ sql: 'PRAGMA journal_mode', params: [] });
  if (row.journal_mode !== 'wal') throw new DatabaseError('other', 'the file system does not allow the WAL journal');
}
