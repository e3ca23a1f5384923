import type { Collection } from '../kernel/collections/collection.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { columnType } from '../kernel/resolve/columns.js';
import type { SqlNode, SqlType } from '../kernel/sql/sql-node.js';
import { column } from '../kernel/sql/sql.js';

/** A column that is copied. */
export interface CopiedColumn {
  readonly name: string;
  readonly type: SqlType;
  /** The value to store instead of one that is not of the column's type, which other tools may have left. */
  readonly repair?: (value: SqlValue) => SqlValue;
}

/** A table whose rows are copied. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** Differs for each row, and rows are read and written in its order: that of their insertion, where one is kept. */
  readonly order: SqlNode;
  readonly orderType: 'number' | 'text';
}

/** The values of a row by column. */
export type CopiedRow = Readonly<Record<string, SqlValue>>;

/** The table behind a collection that is no view. */
export function tableOf(collection: Collection): CopiedTable {
  return {
    name: collection.name,
    columns: collection.fields.map((field) => {
      const type = collection.typeOf(field);
      return {
        name: field.name,
        type: columnType(collection, field),
        repair: (value) => type.toColumn(type.fromColumn(value, field), field),
      };
    }),
    order: { kind: 'rowid', alias: collection.name },
    orderType: 'number',
  };
}

/** The definitions of collections, in the order of their creation. */
export const DEFINITIONS = ordered('_collections', {
  id: 'text',
  system: 'boolean',
  type: 'text',
  name: 'text',
  fields: 'json',
  indexes: 'json',
  listRule: 'text',
  viewRule: 'text',
  createRule: 'text',
  updateRule: 'text',
  deleteRule: 'text',
  options: 'json',
  created: 'text',
  updated: 'text',
});

/** What else Roost keeps beside the records. Its own migrations are history of the database they ran on. */
export const SYSTEM_TABLES: readonly CopiedTable[] = [
  keyed('_params', 'id', { id: 'text', value: 'text', created: 'text', updated: 'text' }),
  keyed('_migrations', 'file', { file: 'text', applied: 'number' }),
  // Numbered again, because the sequence of the target must not repeat a number.
  {
    ...keyed('_file_removals', 'id', { name: 'text' }),
    order: column('_file_removals', 'id', 'number'),
    orderType: 'number',
  },
  keyed('_views', 'id', {
    id: 'text',
    collection: 'text',
    owner: 'text',
    name: 'text',
    filter: 'text',
    sort: 'text',
    columns: 'text',
  }),
  keyed('_sqlSnippets', 'name', { name: 'text', query: 'text' }),
];

/** The log. */
export const LOGS = ordered('_logs', { id: 'text', created: 'text', level: 'number', message: 'text', data: 'json' });

/**
 * Tables of Roost that are never copied: they describe the database itself, or hold short-lived data of running
 * processes.
 */
export const NOT_COPIED: ReadonlySet<string> = new Set([
  '_system_migrations',
  '_auxiliary_migrations',
  '_unfinished',
  '_outbox',
  '_versions',
  '_ephemeral',
]);

type Columns = Readonly<Record<string, SqlType>>;

function ordered(name: string, columns: Columns): CopiedTable {
  return { name, columns: columnsOf(columns), order: { kind: 'rowid', alias: name }, orderType: 'number' };
}

function keyed(name: string, key: string, columns: Columns): CopiedTable {
  return { name, columns: columnsOf(columns), order: column(name, key), orderType: 'text' };
}

function columnsOf(columns: Columns): CopiedColumn[] {
  return Object.entries(columns).map(([name, type]) => ({ name, type }));
}
