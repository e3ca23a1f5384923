import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { ColumnKind } from '../fields/field-type.js';
import type { SqlNode, SqlSelect, SqlType } from '../sql/sql-node.js';
import { column } from '../sql/sql.js';

const TYPES: Readonly<Record<ColumnKind, SqlType>> = {
  primaryKey: 'text',
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  json: 'json',
  jsonArray: 'array',
  geoPoint: 'geoPoint',
};

export function columnType(collection: Collection, field: FieldDefinition): SqlType {
  return TYPES[collection.typeOf(field).column(field)];
}

/** The column of a field in the rows of an alias. */
export function fieldColumn(collection: Collection, field: FieldDefinition, alias: string): SqlNode {
  return column(alias, field.name, columnType(collection, field));
}

/** The columns of a collection's rows, as a record is made of them. */
export function rowColumns(collection: Collection): SqlSelect['columns'] {
  return collection.fields.map((field) => ({
    value: fieldColumn(collection, field, collection.name),
    as: field.name,
  }));
}

/** What the rows of an alias are ordered by when nothing else says so: insertion, which views do not have (SORT-5). */
export function insertionOrder(collection: Collection, alias: string): SqlNode {
  return collection.isView ? column(alias, 'id') : { kind: 'rowid', alias };
}
