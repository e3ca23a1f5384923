import type { ColumnDefinition, SchemaChange } from '../../kernel/collections/collection-diff.js';
import { quoteName } from '../../kernel/collections/sql-tokens.js';
import type { ColumnKind } from '../../kernel/fields/field-type.js';
import type { CompiledSql } from '../compiled-sql.js';

const COLUMN_TYPES: Readonly<Record<ColumnKind, string>> = {
  primaryKey: 'TEXT PRIMARY KEY NOT NULL',
  text: "TEXT DEFAULT '' NOT NULL",
  number: 'NUMERIC DEFAULT 0 NOT NULL',
  boolean: 'BOOLEAN DEFAULT FALSE NOT NULL',
  json: 'JSON DEFAULT NULL',
  jsonArray: "JSON DEFAULT '[]' NOT NULL",
  geoPoint: `JSON DEFAULT '{"lon":0,"lat":0}' NOT NULL`,
};

/** Holds the converted values until the old column is gone. No field can have this name. */
const CONVERTED = quoteName('roost:converted');

/**
 * The statements of one schema change. Columns are altered in place, never by copying the table: that keeps rowids,
 * and adding or renaming a column costs the same whatever the table holds.
 */
export function ddlStatements(change: SchemaChange): string[] {
  switch (change.kind) {
    case 'dropIndex':
      return [`DROP INDEX IF EXISTS ${quoteName(change.name)}`];
    case 'dropTable':
      return [`DROP TABLE ${quoteName(change.table)}`];
    case 'renameTable':
      return [`ALTER TABLE ${quoteName(change.table)} RENAME TO ${quoteName(change.to)}`];
    case 'createTable':
      return [`CREATE TABLE ${quoteName(change.table)} (${change.columns.map(columnClause).join(', ')})`];
    case 'dropColumn':
      return [`ALTER TABLE ${quoteName(change.table)} DROP COLUMN ${quoteName(change.column)}`];
    case 'renameColumn':
      return [renameColumn(change.table, quoteName(change.column), change.to)];
    case 'addColumn':
      return [`ALTER TABLE ${quoteName(change.table)} ADD COLUMN ${columnClause(change.column)}`];
    case 'convertColumn':
      return convertColumn(change.table, change.column, change.from);
    case 'createIndex':
      return [change.sql];
  }
}

/** The row numbers at both ends: two look-ups, whatever the table holds. */
export function rowsOfQuery(table: string): CompiledSql {
  const name = quoteName(table);
  const sql = `SELECT (SELECT max(_rowid_) FROM ${name}) - (SELECT min(_rowid_) FROM ${name}) + 1 AS rows`;
  return { sql, params: [] };
}

function columnClause(column: ColumnDefinition): string {
  return `${quoteName(column.name)} ${COLUMN_TYPES[column.kind]}`;
}

function renameColumn(table: string, column: string, to: string): string {
  return `ALTER TABLE ${quoteName(table)} RENAME COLUMN ${column} TO ${quoteName(to)}`;
}

/** A default cannot be altered, so the values move to a new column that takes the place of the old one. */
function convertColumn(table: string, column: ColumnDefinition, from: ColumnKind): string[] {
  const old = quoteName(column.name);
  const { value, where } = conversion(from, column.kind, old);
  return [
    `ALTER TABLE ${quoteName(table)} ADD COLUMN ${CONVERTED} ${COLUMN_TYPES[column.kind]}`,
    `UPDATE ${quoteName(table)} SET ${CONVERTED} = ${value} WHERE ${where}`,
    `ALTER TABLE ${quoteName(table)} DROP COLUMN ${old}`,
    renameColumn(table, CONVERTED, column.name),
  ];
}

/** How the values of a column change (COL-113). Rows the new default is right for are left out. */
function conversion(from: ColumnKind, to: ColumnKind, column: string): { value: string; where: string } {
  const isArray = `CASE WHEN json_valid(${column}) THEN json_type(${column}) = 'array' ELSE FALSE END`;
  if (to === 'jsonArray') {
    return {
      value: `CASE WHEN ${isArray} THEN ${column} ELSE json_array(${column}) END`,
      where: `${column} IS NOT NULL AND ${column} != ''`,
    };
  }
  if (from === 'jsonArray') {
    const last = `coalesce(CAST(json_extract(${column}, '$[#-1]') AS TEXT), '')`;
    return { value: `CASE WHEN ${isArray} THEN ${last} ELSE ${column} END`, where: `${column} != '[]'` };
  }
  return { value: column, where: `${column} IS NOT NULL` };
}
