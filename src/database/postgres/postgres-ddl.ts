import type { ColumnDefinition, SchemaChange } from '../../kernel/collections/collection-diff.js';
import type { ColumnKind } from '../../kernel/fields/field-type.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { SchemaDdl, SqlView } from '../schema-ddl.js';

/** Type and default. Texts are compared by their bytes, as everywhere else (SCALE-12). */
const COLUMNS: Readonly<Record<ColumnKind, readonly [type: string, rest: string]>> = {
  primaryKey: ['text COLLATE "C"', 'PRIMARY KEY'],
  text: ['text COLLATE "C"', "DEFAULT '' NOT NULL"],
  number: ['double precision', 'DEFAULT 0 NOT NULL'],
  boolean: ['boolean', 'DEFAULT FALSE NOT NULL'],
  json: ['jsonb', 'DEFAULT NULL'],
  jsonArray: ['jsonb', "DEFAULT '[]' NOT NULL"],
  geoPoint: ['jsonb', `DEFAULT '{"lon":0,"lat":0}' NOT NULL`],
};

/** SQLite numbers rows by itself; here a column does, under the name it has there. No field can have this name. */
const INSERTION_ORDER = '"_rowid_" bigint GENERATED ALWAYS AS IDENTITY';

const NAMES = 'FROM pg_catalog.pg_class WHERE relnamespace = pg_catalog.current_schema()::regnamespace';

/** An identifier, ready to be put into a statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** How PostgreSQL spells changes of the schema. */
export const POSTGRES_SCHEMA_DDL: SchemaDdl = {
  statements: ddlStatements,
  createView: createViewStatement,
  dropView: (name) => `DROP VIEW IF EXISTS ${quoteName(name)}`,
  columnNames: (table) => ({
    sql:
      'SELECT attname AS name FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass(quote_ident($1))' +
      ` AND attnum > 0 AND NOT attisdropped AND attname <> '_rowid_' ORDER BY attnum`,
    params: [table],
  }),
  rowsOf: rowsOfQuery,
  firstRows: (select, mark, count) => {
    const marked = `SELECT 1 AS ${quoteName(mark)}, q.* FROM (\n${select}\n) AS q LIMIT ${BigInt(count)}`;
    return { sql: `SELECT v.* FROM (SELECT 1) AS one LEFT JOIN (${marked}) AS v ON TRUE`, params: [] };
  },
  takenNames: { sql: `SELECT relname AS name ${NAMES}`, params: [] },
};

function ddlStatements(change: SchemaChange): string[] {
  switch (change.kind) {
    case 'dropIndex':
      return [`DROP INDEX IF EXISTS ${quoteName(change.name)}`];
    case 'dropTable':
      return [`DROP TABLE ${quoteName(change.table)}`];
    case 'renameTable':
      return [`ALTER TABLE ${quoteName(change.table)} RENAME TO ${quoteName(change.to)}`];
    case 'createTable': {
      const columns = [...change.columns.map(columnClause), INSERTION_ORDER];
      return [`CREATE TABLE ${quoteName(change.table)} (${columns.join(', ')})`];
    }
    case 'dropColumn':
      return [`ALTER TABLE ${quoteName(change.table)} DROP COLUMN ${quoteName(change.column)}`];
    case 'renameColumn': {
      const names = `${quoteName(change.column)} TO ${quoteName(change.to)}`;
      return [`ALTER TABLE ${quoteName(change.table)} RENAME COLUMN ${names}`];
    }
    case 'addColumn':
      return [`ALTER TABLE ${quoteName(change.table)} ADD COLUMN ${columnClause(change.column)}`];
    case 'convertColumn':
      return [convertColumn(change.table, change.column, change.from)];
    case 'createIndex':
      return [change.sql];
  }
}

/** What the planner knows: nothing is counted. It says -1 of a table that nobody has looked at yet. */
function rowsOfQuery(table: string): CompiledSql {
  return {
    sql: 'SELECT GREATEST(reltuples, 0)::bigint AS rows FROM pg_catalog.pg_class WHERE oid = to_regclass(quote_ident($1))',
    params: [table],
  };
}

/** A comment at the end of the query hides nothing, for it has lines of its own. */
function createViewStatement({ name, select, columns, castsId = false }: SqlView): string {
  const shown = columns?.map((column) => {
    const quoted = quoteName(column);
    return castsId && column === 'id' ? `CAST(${quoted} AS text) AS ${quoted}` : quoted;
  });
  return `CREATE VIEW ${quoteName(name)} AS SELECT ${shown?.join(', ') ?? '*'} FROM (\n${select}\n) AS "query"`;
}

function columnClause({ name, kind }: ColumnDefinition): string {
  return `${quoteName(name)} ${COLUMNS[kind].join(' ')}`;
}

/** One statement, so that the table is written once and nobody sees a column without its values (COL-113). */
function convertColumn(table: string, { name, kind }: ColumnDefinition, from: ColumnKind): string {
  const column = quoteName(name);
  const [type, rest] = COLUMNS[kind];
  const toDefault = /^DEFAULT (\S+)/.exec(rest)?.[1] ?? 'NULL';
  return (
    `ALTER TABLE ${quoteName(table)} ALTER COLUMN ${column} DROP DEFAULT,` +
    ` ALTER COLUMN ${column} TYPE ${type} USING ${conversion(from, kind, column)},` +
    ` ALTER COLUMN ${column} SET DEFAULT ${toDefault}`
  );
}

function conversion(from: ColumnKind, to: ColumnKind, column: string): string {
  if (to === 'jsonArray' && from === 'text') {
    return `CASE WHEN ${column} = '' THEN '[]'::jsonb ELSE jsonb_build_array(${column}) END`;
  }
  if (to === 'text' && from === 'jsonArray') return `COALESCE(${column} ->> -1, '')`;
  return `${column}::${COLUMNS[to][0]}`;
}
