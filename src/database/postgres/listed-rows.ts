import type { SqlType } from '../../kernel/sql/sql-node.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { StoredRow, TypedColumn } from '../dialect.js';
import { quoteName } from './postgres-spelling.js';

/** What a value is in the list, and what it becomes in its column. */
const TYPES: Readonly<Record<SqlType, readonly [listed: string, stored: string]>> = {
  text: ['text', ''],
  number: ['double precision', ''],
  boolean: ['int', '::boolean'],
  json: ['text', '::jsonb'],
  array: ['text', '::jsonb'],
  geoPoint: ['text', '::jsonb'],
};

/**
 * An INSERT of rows as one JSON list: with a place for each value the server reads thousands of them each time, and
 * plans them. Undefined for values that are not the same in JSON.
 */
export function insertOfRows(
  into: string,
  columns: readonly TypedColumn[],
  rows: readonly StoredRow[],
): CompiledSql | undefined {
  const places = columns.map(({ name }, at) => [`c${at}`, name] as const);
  if (!rows.every((row) => columns.every(({ name }) => isSameInJson(row[name])))) return undefined;
  const list = rows.map((row) => Object.fromEntries(places.map(([place, name]) => [place, row[name]])));
  const names = columns.map(({ name }) => quoteName(name)).join(', ');
  const values = columns.map(({ type }, at) => `c${at}${TYPES[type][1]}`).join(', ');
  const record = columns.map(({ type }, at) => `c${at} ${TYPES[type][0]}`).join(', ');
  return {
    sql: `INSERT INTO ${quoteName(into)} (${names}) SELECT ${values} FROM json_to_recordset($1::json) AS listed(${record})`,
    params: [JSON.stringify(list)],
    writes: [into],
  };
}

function isSameInJson(value: StoredRow[string] | undefined): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  // JSON cannot hold half of a surrogate pair.
  return value == null || (typeof value === 'string' && value.isWellFormed());
}
