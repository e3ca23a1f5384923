import type { Database as Handle, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { translateSqliteError } from './sqlite-errors.js';

const CACHED_STATEMENTS = 500;

/** A handle of better-sqlite3 with its prepared statements, cached by their text. */
export class BetterSqlite3Connection implements SqliteConnection {
  private readonly statements = new LRUCache<string, Statement<unknown[]>>({ max: CACHED_STATEMENTS });

  constructor(
    private readonly handle: Handle,
    private readonly driver: SqliteDriver,
  ) {}

  all<Row>(statement: CompiledSql): Row[] {
    try {
      return this.prepare(statement.sql).all(this.bind(statement)) as Row[];
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  execute<Row>(statement: CompiledSql): StatementResult<Row> {
    try {
      const prepared = this.prepare(statement.sql);
      if (!prepared.reader) {
        const { changes, lastInsertRowid } = prepared.run(this.bind(statement));
        return { rows: [], changes, lastInsertId: Number(lastInsertRowid) };
      }
      const rows = prepared.all(this.bind(statement)) as Row[];
      return { rows, changes: prepared.readonly ? 0 : rows.length, lastInsertId: 0 };
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async command(sql: string): Promise<void> {
    try {
      this.handle.exec(sql);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async inTransaction(): Promise<boolean> {
    return this.handle.inTransaction;
  }

  async close(): Promise<void> {
    this.statements.clear();
    this.handle.close();
  }

  private prepare(sql: string): Statement<unknown[]> {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.handle.prepare<unknown[]>(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private bind({ params }: CompiledSql): unknown[] {
    return params.map((value) => this.driver.toNative(value));
  }
}
