import type { SchemaDdl } from '../schema-ddl.js';
import { ddlStatements, rowsOfQuery } from './sqlite-ddl.js';
import {
  columnNamesQuery,
  createViewStatement,
  dropViewStatement,
  firstRowsQuery,
  TAKEN_NAMES,
} from './sqlite-views.js';

/** How SQLite spells changes of the schema. */
export const SQLITE_SCHEMA_DDL: SchemaDdl = {
  statements: ddlStatements,
  createView: createViewStatement,
  dropView: dropViewStatement,
  firstRows: firstRowsQuery,
  columnNames: columnNamesQuery,
  rowsOf: rowsOfQuery,
  takenNames: TAKEN_NAMES,
  brokenReferences: { sql: 'PRAGMA foreign_key_check', params: [] },
};
