import { quoteName } from '../../kernel/collections/sql-tokens.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { SqlView } from '../schema-ddl.js';

/**
 * The statement that creates a SQL view. The query stands in parentheses, so that it may begin with WITH or a
 * parenthesis itself, and on lines of its own, so that a comment at its end hides nothing.
 */
export function createViewStatement(view: SqlView): string {
  const columns = view.columns?.map((name) => columnClause(name, view.castsId === true)) ?? ['*'];
  const empty = view.emptyColumns?.map((name) => `NULL AS ${quoteName(name)}`) ?? [];
  return `CREATE VIEW ${quoteName(view.name)} AS SELECT ${[...columns, ...empty].join(', ')} FROM (\n${view.select}\n)`;
}

export function dropViewStatement(name: string): string {
  return `DROP VIEW IF EXISTS ${quoteName(name)}`;
}

/** Compiles the view, but runs nothing of it. */
export function columnNamesQuery(table: string): CompiledSql {
  return { sql: 'SELECT name FROM pragma_table_info(?)', params: [table] };
}

export const TAKEN_NAMES: CompiledSql = { sql: 'SELECT name FROM sqlite_schema', params: [] };

export const TABLE_NAMES: CompiledSql = {
  sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  params: [],
};

function columnClause(name: string, castsId: boolean): string {
  const column = quoteName(name);
  return castsId && name === 'id' ? `CAST(${column} AS TEXT) AS ${column}` : column;
}
