import { Injectable } from '@nestjs/common';
import type { SchemaChange } from '../kernel/collections/collection-diff.js';
import { parseIndex } from '../kernel/collections/index-definition.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { PreparedStatement } from '../kernel/sql/prepared-statement.js';
import { column, table } from '../kernel/sql/sql.js';
import { DatabaseError } from './database.error.js';
import { Database } from './database.js';
import { IndexRefusedError } from './index-refused.error.js';
import type { SqlView } from './schema-ddl.js';
import { TimeSlices } from './time-slices.js';

/** From so many rows on, changing a table takes a while: removing a column some hundredths of a second. */
const LARGE_TABLE = 10_000;

/** With every change of a table SQLite reads the definitions of all tables again. */
const MANY_TABLES = 100;

/** A name no collection can have. */
const PROBE = 'roost:probe';

/**
 * Brings tables, indexes and SQL views in line with definitions, statement by statement and always inside the
 * transaction around it: when any statement fails, all of them are undone with it.
 */
@Injectable()
export class SchemaSync {
  /** By transaction: the indexes that were built before it began. */
  private readonly builds = new WeakMap<object, BuiltIndexes>();

  constructor(private readonly database: Database) {}

  /**
   * Applies the changes in their order. Throws IndexRefusedError for an index the database does not accept, and
   * IndexesWanted where some are to be built before the transaction begins anew (`expectBuilt`).
   */
  async apply(changes: readonly SchemaChange[]): Promise<void> {
    const built = this.builds.get(this.database.transactions.key ?? {});
    const wanted = built ? (await this.worthBuilding(changes)).filter(({ sql }) => !built.has(sql)) : [];
    if (wanted.length > 0) throw new IndexesWanted(wanted);
    if (built && this.ddl.limitLockWaits !== undefined && changes.length > 0) await this.run(this.ddl.limitLockWaits);
    const slices = new TimeSlices();
    for (const change of changes) {
      for (const sql of await this.statementsOf(change, built)) {
        await slices.pause();
        await this.runChange(change, sql);
      }
    }
  }

  /**
   * For transactions that can begin again: indexes of large tables other than these are not built inside, but make
   * `apply` throw IndexesWanted, and it waits only shortly for tables that others use.
   */
  expectBuilt(built: BuiltIndexes): void {
    if (this.ddl.concurrentIndexes) this.builds.set(this.database.transactions.key!, built);
  }

  /** Builds indexes while others write. When the database refuses one, nothing is left behind. */
  async build({ indexes }: IndexesWanted, built: BuiltIndexes): Promise<void> {
    const concurrent = this.ddl.concurrentIndexes!;
    const { upkeep } = this.database;
    for (const index of indexes) {
      built.add(index.sql);
      await this.explaining(index, async () => {
        // An invalid index of the same name that an interrupted process has left.
        await upkeep.runOutsideTransaction(concurrent.remove(index.sql));
        await upkeep.runOutsideTransaction(concurrent.build(index.sql));
      });
    }
  }

  /** Drops the built indexes that no transaction has taken over. */
  async removeUnused(built: BuiltIndexes): Promise<void> {
    for (const sql of built) await this.database.upkeep.runOutsideTransaction(this.ddl.concurrentIndexes!.remove(sql));
  }

  /** Whether they are so many, or one of them has so many rows, that changing them takes a while. */
  async isLarge(tables: readonly string[]): Promise<boolean> {
    if (tables.length > MANY_TABLES) return true;
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
      return this.namesIn(rows);
    });
  }

  /** Does the work and rolls it back, whether it fails or not: to find out whether it would work. */
  async dryRun<T>(work: () => Promise<T>): Promise<T> {
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
   * The first rows of a query, each with a value in the column `mark`; one row of NULLs when there are none, so that
   * the names of the columns are always there.
   */
  async firstRows(select: string, mark: string, count: number): Promise<Record<string, SqlValue>[]> {
    return this.database.all(this.ddl.firstRows(select, mark, count));
  }

  /** Lower-cased names of all tables, views and indexes: they share one namespace. */
  async takenNames(): Promise<Set<string>> {
    const rows = await this.database.all<{ name: string }>(this.ddl.takenNames);
    return new Set(this.namesIn(rows).map((name) => name.toLowerCase()));
  }

  /** The names of all tables, those of others as well; views are none. */
  async tableNames(): Promise<string[]> {
    return this.namesIn(await this.database.all(this.ddl.tableNames));
  }

  private namesIn(rows: readonly { readonly name: string }[]): string[] {
    return rows.map(({ name }) => this.ddl.shownName?.(name) ?? name);
  }

  private async rowsOf(table: string): Promise<number> {
    try {
      return (await this.database.get<{ rows: number | null }>(this.ddl.rowsOf(table)))?.rows ?? 0;
    } catch (error) {
      // The table may have been renamed or dropped at this moment.
      if (error instanceof DatabaseError) return 0;
      throw error;
    }
  }

  private get ddl() {
    return this.database.dialect.schema;
  }

  /** Not through `database.run`, whose savepoints would interfere with those in the statements. */
  private async run(sql: string): Promise<void> {
    await this.database.writes.run({ sql, params: [] });
  }

  private runChange(change: SchemaChange, sql: string): Promise<void> {
    return change.kind === 'createIndex' ? this.explaining(change, () => this.run(sql)) : this.run(sql);
  }

  private async explaining(index: NewIndex, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof DatabaseError && error.isFault) throw error;
      throw new IndexRefusedError(index, error);
    }
  }

  private async statementsOf(change: SchemaChange, built: BuiltIndexes | undefined): Promise<string[]> {
    const concurrent = this.ddl.concurrentIndexes;
    const isBuilt = concurrent && change.kind === 'createIndex' && built?.has(change.sql);
    if (!isBuilt) return this.ddl.statements(change);
    // The table may have been changed since the index was built.
    const found = await this.database.all(concurrent.find(change.sql));
    return found.length > 0 ? [concurrent.adopt(change.sql)] : this.ddl.statements(change);
  }

  /** The new indexes of large tables that are not changed otherwise. */
  private async worthBuilding(changes: readonly SchemaChange[]): Promise<NewIndex[]> {
    const changed = new Set(changes.flatMap((change) => ('table' in change ? [change.table] : [])));
    const renamed = new Set(changes.flatMap((change) => ('to' in change ? [change.to] : [])));
    const indexes: NewIndex[] = [];
    for (const change of changes) {
      if (change.kind !== 'createIndex' || changed.has(change.collection) || renamed.has(change.collection)) continue;
      if (parseIndex(change.sql) && (await this.isLarge([change.collection]))) indexes.push(change);
    }
    return indexes;
  }
}

type NewIndex = Extract<SchemaChange, { kind: 'createIndex' }>;

/** Statements of the indexes that were built for a transaction. */
export type BuiltIndexes = Set<string>;

/** Thrown out of a transaction that is to begin anew when these have been built. */
export class IndexesWanted extends Error {
  override readonly name = 'IndexesWanted';

  constructor(readonly indexes: readonly NewIndex[]) {
    super('Indexes are built while others write.');
  }
}
