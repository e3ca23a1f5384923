import { createHash } from 'node:crypto';
import type { ColumnDefinition } from '../../kernel/collections/collection-diff.js';
import { parseIndex } from '../../kernel/collections/index-definition.js';
import type { ColumnKind } from '../../kernel/fields/field-type.js';
import { shownName, storedName } from '../../kernel/sql/postgres-names.js';
import { ddlStatements, firstRows, type DdlSpelling } from '../common-ddl.js';
import type { CompiledSql } from '../compiled-sql.js';
import type { SchemaDdl, SqlView } from '../schema-ddl.js';
import { createIndex, quoteName, respell } from './postgres-spelling.js';

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
const INSERTION_ORDER = '"_rowid_" bigint GENERATED ALWAYS AS IDENTITY UNIQUE';

const NAMES = 'FROM pg_catalog.pg_class WHERE relnamespace = pg_catalog.current_schema()::regnamespace';
const IN_CATALOG = "FROM pg_catalog.pg_class WHERE relnamespace = 'pg_catalog'::regnamespace";

/** How PostgreSQL spells changes of the schema. */
export const POSTGRES_SCHEMA_DDL: SchemaDdl = {
  statements: (change) => ddlStatements(SPELLING, change),
  createView: createViewStatement,
  // With the views over it, whose queries mean nothing without it until they are created again.
  dropView: (name) => `DROP VIEW IF EXISTS ${quoteName(name)} CASCADE`,
  columnNames: (table) => ({
    sql:
      'SELECT attname AS name FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass(quote_ident($1))' +
      ` AND attnum > 0 AND NOT attisdropped AND attname <> '_rowid_' ORDER BY attnum`,
    params: [storedName(table)],
  }),
  rowsOf: rowsOfQuery,
  firstRows: (select, mark, count) => firstRows(quoteName, respell(select), mark, count),
  // A waiting ALTER TABLE blocks everybody who comes after it, so it gives up soon and is tried again.
  limitLockWaits: 'SET LOCAL lock_timeout = 2000',
  concurrentIndexes: {
    build: (sql) => createIndex(sql, nameApart(sql)),
    remove: (sql) => `DROP INDEX CONCURRENTLY IF EXISTS ${quoteName(nameApart(sql))}`,
    find: (sql) => ({
      sql: 'SELECT 1 FROM pg_catalog.pg_index WHERE indexrelid = to_regclass(quote_ident($1)) AND indisvalid',
      params: [nameApart(sql)],
    }),
    adopt: (sql) => `ALTER INDEX ${quoteName(nameApart(sql))} RENAME TO ${quoteName(parseIndex(sql)!.name)}`,
  },
  shownName,
  takenNames: {
    // A table that has the name of one of the catalog could be made, and never be seen: the catalog is looked into
    // first.
    sql: `SELECT relname AS name ${NAMES} UNION SELECT relname ${IN_CATALOG}`,
    params: [],
  },
  tableNames: { sql: `SELECT relname AS name ${NAMES} AND relkind IN ('r', 'p')`, params: [] },
};

/** What indexes are called until they are complete; nothing else has such a name. */
export const BUILDING_PREFIX = 'roost:index:';

function nameApart(sql: string): string {
  return BUILDING_PREFIX + createHash('sha256').update(sql).digest('hex').slice(0, 32);
}

const SPELLING: DdlSpelling = {
  quote: quoteName,
  column: (kind) => COLUMNS[kind].join(' '),
  tableEnd: `, ${INSERTION_ORDER}`,
  createIndex: (sql) => createIndex(sql),
  convertColumn: (table, column, from) => [convertColumn(table, column, from)],
};

/**
 * What the planner knows: nothing is counted. It says -1 of a table that nobody has looked at yet, which has its size.
 */
function rowsOfQuery(table: string): CompiledSql {
  const guess = `pg_relation_size(oid) / ${USUAL_ROW}`;
  return {
    sql: `SELECT (CASE WHEN reltuples < 0 THEN ${guess} ELSE reltuples END)::bigint AS rows FROM pg_catalog.pg_class WHERE oid = to_regclass(quote_ident($1))`,
    params: [storedName(table)],
  };
}

/** Bytes. */
const USUAL_ROW = 200;

/**
 * A comment at the end of the query hides nothing, for it has lines of its own. Columns have the types of the fields
 * they are shown as, which is how filters over the view take them.
 */
function createViewStatement({ name, select, columns, castsId, kinds, emptyColumns = [] }: SqlView): string {
  const shown = columns?.map((column) => {
    const quoted = quoteName(column);
    const kind = kinds?.get(column) ?? (castsId === true && column === 'id' ? 'text' : undefined);
    // What may hold anything keeps its type, so that views over this one can calculate with it.
    return kind === undefined || kind === 'json' ? quoted : `${cast(quoted, kind)} AS ${quoted}`;
  });
  const empty = emptyColumns.map((column) => `NULL::text AS ${quoteName(column)}`);
  const list = [...(shown ?? ['*']), ...empty].join(', ');
  return `CREATE VIEW ${quoteName(name)} AS SELECT ${list} FROM (\n${respell(select)}\n) AS "query"`;
}

function cast(column: string, kind: ColumnKind): string {
  const [type] = COLUMNS[kind];
  if (type === 'jsonb') return `to_jsonb(${column})`;
  const [plain, ...collation] = type.split(' COLLATE ');
  return [`CAST(${column} AS ${plain})`, ...collation].join(' COLLATE ');
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
