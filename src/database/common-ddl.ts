import type { ColumnDefinition, SchemaChange } from '../kernel/collections/collection-diff.js';
import type { ColumnKind } from '../kernel/fields/field-type.js';
import type { CompiledSql } from './compiled-sql.js';

/** What databases spell differently in changes of the schema. */
export interface DdlSpelling {
  quote(name: string): string;
  /** Type, default and constraints of a column. */
  column(kind: ColumnKind): string;
  /** What every table has besides its columns. */
  readonly tableEnd: string;
  createIndex(sql: string): string;
  convertColumn(table: string, column: ColumnDefinition, from: ColumnKind): string[];
}

/** The statements of one schema change. Columns are altered in place, never by copying the table. */
export function ddlStatements(spelling: DdlSpelling, change: SchemaChange): string[] {
  const quote = (name: string): string => spelling.quote(name);
  const clause = ({ name, kind }: ColumnDefinition): string => `${quote(name)} ${spelling.column(kind)}`;
  switch (change.kind) {
    case 'dropIndex':
      return [`DROP INDEX IF EXISTS ${quote(change.name)}`];
    case 'dropTable':
      return [`DROP TABLE ${quote(change.table)}`];
    case 'renameTable':
      return [`ALTER TABLE ${quote(change.table)} RENAME TO ${quote(change.to)}`];
    case 'createTable':
      return [`CREATE TABLE ${quote(change.table)} (${change.columns.map(clause).join(', ')}${spelling.tableEnd})`];
    case 'dropColumn':
      return [`ALTER TABLE ${quote(change.table)} DROP COLUMN ${quote(change.column)}`];
    case 'renameColumn':
      return [`ALTER TABLE ${quote(change.table)} RENAME COLUMN ${quote(change.column)} TO ${quote(change.to)}`];
    case 'addColumn':
      return [`ALTER TABLE ${quote(change.table)} ADD COLUMN ${clause(change.column)}`];
    case 'convertColumn':
      return spelling.convertColumn(change.table, change.column, change.from);
    case 'createIndex':
      return [spelling.createIndex(change.sql)];
  }
}

/**
 * The first rows of a query, each with a value in the column `mark`; one row of NULLs when there are none. The query
 * stands on its own lines, so that a comment at its end does not swallow the rest.
 */
export function firstRows(quote: DdlSpelling['quote'], select: string, mark: string, count: number): CompiledSql {
  const marked = `SELECT 1 AS ${quote(mark)}, q.* FROM (\n${select}\n) AS q LIMIT ${BigInt(count)}`;
  return { sql: `SELECT v.* FROM (SELECT 1) AS one LEFT JOIN (${marked}) AS v ON 1 = 1`, params: [] };
}
