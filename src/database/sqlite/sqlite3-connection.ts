import { LRUCache } from 'lru-cache';
import type { Database as Handle, RunResult, Statement } from 'sqlite3';
import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { translateSqliteError } from './sqlite-errors.js';
import { returnsRows, statementKind } from './sqlite-text.js';

const CACHED_STATEMENTS = 500;

interface PreparedStatement {
  readonly native: Statement;
  readonly givesRows: boolean;
  readonly changesRows: boolean;
  readonly explains: boolean;
}

/** A handle of sqlite3 with its prepared statements, cached by their text. */
export class Sqlite3Connection implements SqliteConnection {
  private readonly statements = new LRUCache<string, PreparedStatement>({
    max: CACHED_STATEMENTS,
    dispose: ({ native }) => native.finalize(),
  });
  /** The driver would run the statements of one handle in any order; a transaction needs them in ours. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly handle: Handle,
    private readonly driver: SqliteDriver,
  ) {}

  async all<Row>(statement: CompiledSql): Promise<Row[]> {
    return (await this.execute<Row>(statement)).rows;
  }

  execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    return this.afterEarlier(async () => {
      const prepared = await this.prepare(statement.sql);
      const params = statement.params.map((value) => this.driver.toNative(value));
      try {
        return await this.run<Row>(prepared, params);
      } catch (error) {
        // The driver leaves a failed statement as it stopped, and after a failed COMMIT no ROLLBACK would be possible.
        await reset(prepared.native);
        throw error;
      }
    });
  }

  command(sql: string): Promise<void> {
    return this.afterEarlier(() => this.exec(sql));
  }

  inTransaction(): Promise<boolean> {
    // The driver does not tell, but SQLite refuses a second BEGIN.
    return this.afterEarlier(async () => {
      const refusal = await this.exec('BEGIN').catch((error: Error) => error);
      if (refusal === undefined) await this.exec('ROLLBACK');
      else if (!refusal.message.includes('within a transaction')) throw refusal;
      return refusal !== undefined;
    });
  }

  close(): Promise<void> {
    return this.afterEarlier(() => {
      this.statements.clear();
      return new Promise<void>((resolve, reject) => {
        this.handle.close((error) => (error ? reject(error) : resolve()));
      });
    });
  }

  private async run<Row>(prepared: PreparedStatement, params: unknown[]): Promise<StatementResult<Row>> {
    if (prepared.givesRows) {
      const rows = await rowsOf<Row>(prepared.native, params);
      // SQLite counts a finished EXPLAIN as reading, and keeps the snapshot of its connection, until it is reset.
      if (prepared.explains) await reset(prepared.native);
      return { rows, changes: prepared.changesRows ? rows.length : 0, lastInsertId: 0 };
    }
    const { changes, lastID } = await outcomeOf(prepared.native, params);
    return { rows: [], changes: prepared.changesRows ? changes : 0, lastInsertId: lastID };
  }

  private exec(sql: string): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.handle.exec(sql, (error) => (error ? reject(error) : resolve()));
    });
  }

  private async prepare(sql: string): Promise<PreparedStatement> {
    const known = this.statements.get(sql);
    if (known) return known;
    const native = await new Promise<Statement>((resolve, reject) => {
      const prepared = this.handle.prepare(sql, (error) => (error ? reject(error) : resolve(prepared)));
    });
    const statement = {
      native,
      givesRows: returnsRows(sql),
      changesRows: statementKind(sql) === 'write',
      explains: /^\s*EXPLAIN\b/i.test(sql),
    };
    this.statements.set(sql, statement);
    return statement;
  }

  private afterEarlier<T>(work: () => Promise<T>): Promise<T> {
    const run = this.last.then(work).catch((error: unknown) => {
      throw translateSqliteError(error);
    });
    this.last = run.catch(() => undefined);
    return run;
  }
}

/** `all` and never `get`: a statement that stopped at a row would keep its snapshot open. */
function rowsOf<Row>(statement: Statement, params: unknown[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    statement.all<Row>(params, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}

function reset(statement: Statement): Promise<void> {
  return new Promise((resolve) => void statement.reset(() => resolve()));
}

function outcomeOf(statement: Statement, params: unknown[]): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    statement.run(params, function (this: RunResult, error: Error | null) {
      if (error) reject(error);
      else resolve(this);
    });
  });
}
