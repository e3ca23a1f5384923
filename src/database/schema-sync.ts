import { Injectable } from '@nestjs/common';
import type { SchemaChange } from '../kernel/collections/collection-diff.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { PreparedStatement } from '../kernel/sql/prepared-statement.js';
import { column, table } from '../kernel/sql/sql.js';
import { DatabaseError } from './database.error.js';
import { Database } from './database.js';
import { IndexRefusedError } from './index-refused.error.js';
import type { SqlView } from './schema-ddl.js';

/**
 * Brings tables, indexes and SQL views in line with definitions, statement by statement and always inside the
 * transaction around it: when any statement fails, all of them are undone with it.
 */
@Injectable()
export class SchemaSync {
  constructor(private readonly database: Database) {}

  /** Applies the changes in their order. Throws IndexRefusedError for an index the database does not accept. */
  async apply(changes: readonly SchemaChange[]): Promise<void> {
    for (const change of changes) {
      for (const sql of this.ddl.statements(change)) await this.runChange(change, sql);
    }
  }

  /** Does one of these tables have so many rows that changing it takes a while? */
  async isLarge(tables: readonly string[]): Promise<boolean> {
    for (const table of tables) if ((await this.rowsOf(table)) >= LARGE_TABLE) return true;
    return false;
  }

  async createView(view: SqlView): Promise<void> {
    await this.run(this.ddl.createView(view));
  }

  async dropView(name: string): Promise<void> {
    await this.run(this.ddl.dropView(name));
  }

  /**
   * The names of the columns a query yields, found by compiling it and without running it. Throws the database's own
   * error when it does not compile.
   */
  async columnNames(select: string): Promise<string[]> {
    return this.database.transaction(async () => {
      await this.run(this.ddl.createView({ name: PROBE, select }));
      const rows = await this.database.all<{ name: string }>(this.ddl.columnNames(PROBE));
      await this.run(this.ddl.dropView(PROBE));
      return rows.map((row) => row.name);
    });
  }

  /** Does the work and undoes it again, whether it fails or not. For questions of the kind "would it run if". */
  async rehearse<T>(work: () => Promise<T>): Promise<T> {
    await this.run('SAVEPOINT rehearsal');
    try {
      return await work();
    } finally {
      await this.run('ROLLBACK TO rehearsal');
      await this.run('RELEASE rehearsal');
    }
  }

  /** The ids of the first rows of a view; undefined when finding them might take long. */
  async firstIds(view: string, count: number): Promise<unknown[] | undefined> {
    const ids = PreparedStatement.of(this.database.dialect.newCompiler(), () => ({
      kind: 'select',
      columns: [{ value: column(view, 'id'), as: 'id' }],
      from: table(view),
      limit: count,
    }));
    const rows = await this.database.reads.rowsWithinBudget<{ id: unknown }>(ids.with([]));
    return rows?.map((row) => row.id);
  }

  /**
   * The first rows of a query, each with something in the column `mark`; where there are none, one row with nothing in
   * any column, so that the names of the columns can be seen.
   */
  async firstRows(select: string, mark: string, count: number): Promise<Record<string, SqlValue>[]> {
    return this.database.all(this.ddl.firstRows(select, mark, count));
  }

  /** Lower-cased names of all tables, views and indexes: they share one namespace. */
  async takenNames(): Promise<Set<string>> {
    const rows = await this.database.all<{ name: string }>(this.ddl.takenNames);
    return new Set(rows.map((row) => row.name.toLowerCase()));
  }

  /** The names of all tables, those of others as well; views are none. */
  async tableNames(): Promise<string[]> {
    return (await this.database.all<{ name: string }>(this.ddl.tableNames)).map(({ name }) => name);
  }

  private async rowsOf(table: string): Promise<number> {
    try {
      return (await this.database.get<{ rows: number | null }>(this.ddl.rowsOf(table)))?.rows ?? 0;
    } catch (error) {
      // Somebody may have renamed or deleted it at this very moment.
      if (error instanceof DatabaseError) return 0;
      throw error;
    }
  }

  private get ddl() {
    return this.database.dialect.schema;
  }

  /** As it is: savepoints of statements would be in the way of those that stand here. */
  private async run(sql: string): Promise<void> {
    await this.database.writes.run({ sql, params: [] });
  }

  private async runChange(change: SchemaChange, sql: string): Promise<void> {
    try {
      await this.run(sql);
    } catch (error) {
      const isFault = error instanceof DatabaseError && error.isFault;
      if (change.kind === 'createIndex' && !isFault) throw new IndexRefusedError(change, error);
      throw error;
    }
  }
}

/** Removing a column of so many rows takes some hundredths of a second. */
const LARGE_TABLE = 10_000;

/** A name no collection can have. */
const PROBE = 'roost:probe';
