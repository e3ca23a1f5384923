import type { SchemaChange } from '../kernel/collections/collection-diff.js';
import type { ColumnKind } from '../kernel/fields/field-type.js';
import type { CompiledSql } from './compiled-sql.js';

/** A SQL view. Without `columns` it shows whatever the query yields. */
export interface SqlView {
  readonly name: string;
  readonly select: string;
  readonly columns?: readonly string[];
  /** True when the column `id` has to be cast to text (COL-132). */
  readonly castsId?: boolean;
  /** What the fields hold that the columns are shown as. */
  readonly kinds?: ReadonlyMap<string, ColumnKind>;
  /** Further columns, which hold nothing. */
  readonly emptyColumns?: readonly string[];
}

/** Builds an index under a temporary name without blocking writers; a transaction gives it its name afterwards. */
export interface ConcurrentIndexes {
  /** Cannot be part of a transaction. When it fails, an invalid index is left behind. */
  build(sql: string): string;
  /** As `build`; does nothing where there is none. */
  remove(sql: string): string;
  /** Gives a row when it is there and complete. */
  find(sql: string): CompiledSql;
  /** Gives it the name it was made for. */
  adopt(sql: string): string;
}

/** How a dialect spells changes of the schema and questions about it. */
export interface SchemaDdl {
  statements(change: SchemaChange): string[];
  createView(view: SqlView): string;
  dropView(name: string): string;
  /** The first rows of a query, each with a value in the column `mark`; one row of NULLs when there are none. */
  firstRows(select: string, mark: string, count: number): CompiledSql;
  /** Gives rows with the `name` of each column of a table or view. */
  columnNames(table: string): CompiledSql;
  /** Gives one row with `rows`, about how many the table has, found without counting them. */
  rowsOf(table: string): CompiledSql;
  /** A statement that limits how long the transaction waits for a table that it changes. */
  readonly limitLockWaits?: string;
  /** Absent where building an index in a transaction blocks nobody else than the transaction itself does. */
  readonly concurrentIndexes?: ConcurrentIndexes;
  /** Gives rows with the `table` and its `parent` of references to nothing; absent where there can be none. */
  readonly brokenReferences?: CompiledSql;
  /** The name of what these questions tell of. Absent where the database has every name as it is. */
  shownName?(name: string): string;
  /** Gives rows with the `name` of everything that shares a namespace with tables. */
  readonly takenNames: CompiledSql;
  /** Gives rows with the `name` of each table, of ours or of others; views are none. */
  readonly tableNames: CompiledSql;
}
