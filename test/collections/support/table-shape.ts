import { parseIndex, printIndex } from '../../../src/kernel/collections/index-definition.js';
import type { Collection } from '../../../src/kernel/collections/collection.js';
import type { CollectionsApp } from './collections-app.js';

/** A column as the database describes it. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

const EXPECTED: Readonly<Record<string, Omit<Column, 'name'>>> = {
  primaryKey: { type: 'TEXT', notnull: 1, dflt_value: null, pk: 1 },
  text: { type: 'TEXT', notnull: 1, dflt_value: "''", pk: 0 },
  number: { type: 'NUMERIC', notnull: 1, dflt_value: '0', pk: 0 },
  boolean: { type: 'BOOLEAN', notnull: 1, dflt_value: 'FALSE', pk: 0 },
  json: { type: 'JSON', notnull: 0, dflt_value: 'NULL', pk: 0 },
  jsonArray: { type: 'JSON', notnull: 1, dflt_value: "'[]'", pk: 0 },
  geoPoint: { type: 'JSON', notnull: 1, dflt_value: `'{"lon":0,"lat":0}'`, pk: 0 },
};

/** Columns and indexes a collection's table should have, in an order that can be compared. */
export function expectedShape(collection: Collection): unknown {
  const columns = collection.fields.map((field) => ({
    name: field.name,
    ...EXPECTED[collection.typeOf(field).column(field)],
  }));
  const indexes = collection.indexes.map((sql) => printIndex(parseIndex(sql)!));
  return { columns: columns.sort(byName), indexes: indexes.sort() };
}

/** Columns and indexes a table really has, asked of the database itself. */
export async function actualShape(app: CollectionsApp, table: string): Promise<unknown> {
  const columns = await app.sql<Column>(
    'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)',
    table,
  );
  const indexes = await app.sql<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?`,
    table,
  );
  return { columns: columns.sort(byName), indexes: indexes.map(({ sql }) => printIndex(parseIndex(sql)!)).sort() };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
