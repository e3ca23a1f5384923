import { CLUSTER } from '../../support/postgres-databases.js';
import { type IndexDefinition, parseIndex, printIndex } from '../../../src/kernel/collections/index-definition.js';
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

const ON_POSTGRES: Readonly<Record<string, Omit<Column, 'name'>>> = {
  primaryKey: { type: 'text', notnull: 1, dflt_value: null, pk: 1 },
  text: { type: 'text', notnull: 1, dflt_value: "''", pk: 0 },
  number: { type: 'double precision', notnull: 1, dflt_value: '0', pk: 0 },
  boolean: { type: 'boolean', notnull: 1, dflt_value: 'false', pk: 0 },
  json: { type: 'jsonb', notnull: 0, dflt_value: null, pk: 0 },
  jsonArray: { type: 'jsonb', notnull: 1, dflt_value: "'[]'", pk: 0 },
  geoPoint: { type: 'jsonb', notnull: 1, dflt_value: `'{"lat": 0, "lon": 0}'`, pk: 0 },
};

/** As SQLite's pragma_table_info describes them. */
const POSTGRES_COLUMNS = `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull::int AS notnull,
    NULLIF(regexp_replace(pg_get_expr(adbin, adrelid), '::.*$', ''), 'NULL') AS dflt_value,
    (indrelid IS NOT NULL)::int AS pk
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary AND attnum = ANY(indkey)
  WHERE attrelid = to_regclass(quote_ident(?)) AND attnum > 0 AND NOT attisdropped AND attname <> '_rowid_'`;

/** Made by us, and not for a key or the order of insertion. */
const POSTGRES_INDEXES = `SELECT c.relname AS name, indisunique::int AS "unique" FROM pg_index
    JOIN pg_class c ON c.oid = indexrelid LEFT JOIN pg_constraint ON conindid = indexrelid
  WHERE indrelid = to_regclass(quote_ident(?)) AND conindid IS NULL`;

/** Columns and indexes a collection's table should have, in an order that can be compared. */
export function expectedShape(collection: Collection): unknown {
  const columns = collection.fields.map((field) => ({
    name: field.name,
    ...(CLUSTER === undefined ? EXPECTED : ON_POSTGRES)[collection.typeOf(field).column(field)],
  }));
  const indexes = collection.indexes.map((sql) => shownIndex(parseIndex(sql)!));
  return { columns: columns.sort(byName), indexes: indexes.sort() };
}

/** Columns and indexes a table really has, asked of the database itself. */
export async function actualShape(app: CollectionsApp, table: string): Promise<unknown> {
  if (CLUSTER !== undefined) {
    const columns = await app.sql<Column>(POSTGRES_COLUMNS, table);
    const indexes = await app.sql<{ name: string; unique: number }>(POSTGRES_INDEXES, table);
    return { columns: columns.sort(byName), indexes: indexes.map(shownIndex).sort() };
  }
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

/** PostgreSQL prints the rest of it in its own words. */
function shownIndex(index: { readonly name: string; readonly unique: boolean | number }): string {
  if (CLUSTER === undefined) return printIndex(index as IndexDefinition);
  return `${index.unique ? 'unique ' : ''}${index.name}`;
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
