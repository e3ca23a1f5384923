import type { ColumnDefinition } from '../../kernel/collections/collection-diff.js';
import { quoteName } from '../../kernel/collections/sql-tokens.js';
import type { ColumnKind } from '../../kernel/fields/field-type.js';
import type { DdlSpelling } from '../common-ddl.js';
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
 * In place means here that row numbers stay and that adding or renaming a column costs the same whatever the table
 * holds.
 */
export const SQLITE_SPELLING: DdlSpelling = {
  quote: quoteName,
  column: (kind) => COLUMN_TYPES[kind],
  tableEnd: '',
  createIndex: (sql) => sql,
  convertColumn,
};

/** The row numbers at both ends: two look-ups, whatever the table holds. */
export function rowsOfQuery(table: string): CompiledSql {
  const name = quoteName(table);
  const sql = `SELECT (SELECT max(_rowid_) FROM ${name}) - (SELECT min(_rowid_) FROM ${name}) + 1 AS rows`;
  return { sql, params: [] };
}

/** A default cannot be altered, so the values move to a new column that takes the place of the old one. */
function convertColumn(table: string, column: ColumnDefinition, from: ColumnKind): string[] {
  const old = quoteName(column.name);
  const { value, where } = conversion(from, column.kind, old);
  return [
    `ALTER TABLE ${quoteName(table)} ADD COLUMN ${CONVERTED} ${COLUMN_TYPES[column.kind]}`,
    `UPDATE ${quoteName(table)} SET ${CONVERTED} = ${value} WHERE ${where}`,
    `ALTER TABLE ${quoteName(table)} DROP COLUMN ${old}`,
    `ALTER TABLE ${quoteName(table)} RENAME COLUMN ${CONVERTED} TO ${old}`,
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
