import type { Database as Handle, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import { translateSqliteError } from './sqlite-errors.js';

const CACHED_STATEMENTS = 500;

interface PreparedStatement {
  readonly statement: Statement<unknown[]>;
  /**
   * Names of the columns, when they stand in the text: then rows come as lists of values, and are made into objects
   * here, which takes half as long as in the driver. What a `*` stands for changes with the schema.
   */
  readonly columns: readonly string[] | undefined;
}

/** A handle of better-sqlite3 with its prepared statements, cached by their text. */
export class BetterSqlite3Connection implements SqliteConnection {
  private readonly statements = new LRUCache<string, PreparedStatement>({ max: CACHED_STATEMENTS });

  constructor(
    private readonly handle: Handle,
    private readonly driver: SqliteDriver,
  ) {}

  all<Row>(statement: CompiledSql): Row[] {
    try {
      return this.rows<Row>(this.prepare(statement.sql), statement);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  execute<Row>(compiled: CompiledSql): StatementResult<Row> {
    try {
      const prepared = this.prepare(compiled.sql);
      const { statement } = prepared;
      if (!statement.reader) {
        const { changes, lastInsertRowid } = statement.run(this.bind(compiled));
        return { rows: [], changes, lastInsertId: Number(lastInsertRowid) };
      }
      const rows = this.rows<Row>(prepared, compiled);
      return { rows, changes: statement.readonly ? 0 : rows.length, lastInsertId: 0 };
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

  private rows<Row>({ statement, columns }: PreparedStatement, compiled: CompiledSql): Row[] {
    const rows = statement.all(this.bind(compiled));
    return columns === undefined
      ? (rows as Row[])
      : (rows as (readonly unknown[])[]).map((values) => toRow<Row>(columns, values));
  }

  private prepare(sql: string): PreparedStatement {
    let prepared = this.statements.get(sql);
    if (prepared === undefined) {
      const statement = this.handle.prepare<unknown[]>(sql);
      const columns =
        statement.reader && !sql.includes('*')
          ? statement
              .raw(true)
              .columns()
              .map(({ name }) => name)
          : undefined;
      prepared = { statement, columns };
      this.statements.set(sql, prepared);
    }
    return prepared;
  }

  private bind({ params }: CompiledSql): unknown[] {
    return params.map((value) => this.driver.toNative(value));
  }
}

function toRow<Row>(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index];
  return row as Row;
}
