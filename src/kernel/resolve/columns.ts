import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { ColumnKind } from '../fields/field-type.js';
import type { SqlNode, SqlType } from '../sql/sql-node.js';
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
