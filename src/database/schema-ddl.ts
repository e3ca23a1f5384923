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

/** How an index is built beside those who write, under a name of its own, and becomes what it is to be in a transaction. */
export interface ConcurrentIndexes {
  /** Can be no part of a transaction, and leaves something behind when it fails. */
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
  /**
   * Gives the first rows of a query, each with something in the column `mark`; where there are none, one row with
   * nothing in any column.
   */
  firstRows(select: string, mark: string, count: number): CompiledSql;
  /** Gives rows with the `name` of each column of a table or view. */
  columnNames(table: string): CompiledSql;
  /** Gives one row with `rows`, about how many the table has, found without counting them. */
  rowsOf(table: string): CompiledSql;
  /** A statement after which a transaction does not wait for long for a table that it changes. */
  readonly limitLockWaits?: string;
  /** Absent where building an index keeps nobody from anything that a transaction does not. */
  readonly concurrentIndexes?: ConcurrentIndexes;
  /** Gives rows with the `table` and its `parent` of references to nothing; absent where there can be none. */
  readonly brokenReferences?: CompiledSql;
  /** Gives rows with the `name` of everything that shares a namespace with tables. */
  readonly takenNames: CompiledSql;
  /** Gives rows with the `name` of each table, of ours or of others; views are none. */
  readonly tableNames: CompiledSql;
}
