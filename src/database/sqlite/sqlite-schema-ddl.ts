import { ddlStatements, firstRows } from '../common-ddl.js';
import type { SchemaDdl } from '../schema-ddl.js';
import { rowsOfQuery, SQLITE_SPELLING } from './sqlite-ddl.js';
import { columnNamesQuery, createViewStatement, dropViewStatement, TABLE_NAMES, TAKEN_NAMES } from './sqlite-views.js';

/** How SQLite spells changes of the schema. */
export const SQLITE_SCHEMA_DDL: SchemaDdl = {
  statements: (change) => ddlStatements(SQLITE_SPELLING, change),
  createView: createViewStatement,
  dropView: dropViewStatement,
  firstRows: (select, mark, count) => firstRows(SQLITE_SPELLING.quote, select, mark, count),
  columnNames: columnNamesQuery,
  rowsOf: rowsOfQuery,
  takenNames: TAKEN_NAMES,
  tableNames: TABLE_NAMES,
  brokenReferences: { sql: 'PRAGMA foreign_key_check', params: [] },
};
