import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import { type ListDefinition, mostValues } from '../fields/list-valued-field.js';
import type { SqlSelect } from '../sql/sql-node.js';
import { call, choose, compare, param } from '../sql/sql.js';
import { columnType, fieldColumn, rowColumns } from './columns.js';

/**
 * Replaces a value that is too long to be read together with its page. A value that happens to be this text is read
 * once more, which does no harm.
 */
const LEFT_OUT = '"left out: read it by itself"';

/** Bytes of long values that one page reads at once. */
const PAGE_BYTES = 16 * 1024 * 1024;

const LONGEST_CHARACTER = 4;

/** Bytes of an id in a list, with its quotes and a comma. */
const BYTES_OF_ID = 18;

const DEFAULT_TEXT = 5_000;

/**
 * The columns of a page of so many rows, as `rowColumns`, without the values that might be too many bytes together.
 * Collections whose fields are small have all columns.
 */
export function narrowColumns(collection: Collection, rows: number): SqlSelect['columns'] {
  const last = latest.get(collection);
  if (last?.rows === rows) return last.columns;
  const columns = columnsOf(collection, rows);
  latest.set(collection, { rows, columns });
  return columns;
}

/** The last result of each collection, because most pages have the same length. */
const latest = new WeakMap<Collection, { readonly rows: number; readonly columns: SqlSelect['columns'] }>();

function columnsOf(collection: Collection, rows: number): SqlSelect['columns'] {
  const narrowed = narrowedFields(collection, rows);
  return columnsWithout(collection, narrowed, Math.floor(PAGE_BYTES / rows / narrowed.length));
}

/** The columns of `rowColumns`, without the values of some fields that are more bytes than this. */
function columnsWithout(
  collection: Collection,
  narrowed: readonly FieldDefinition[],
  most: number,
): SqlSelect['columns'] {
  if (narrowed.length === 0) return rowColumns(collection);
  return rowColumns(collection).map(({ value, as }) => {
    const field = narrowed.find(({ name }) => name === as);
    if (!field) return { value, as };
    const bytes = call('byteLength', fieldColumn(collection, field, collection.name));
    return { value: choose(compare(bytes, '>', param(most)), leftOut(collection, field), value), as };
  });
}

/**
 * The columns of so many rows that are changed or deleted together, without the values and lists of ids that might be
 * more than so many bytes together.
 */
export function boundedColumns(collection: Collection, rows: number, bytes: number): SqlSelect['columns'] {
  if (!mayBeLong(collection, bytes / rows)) return rowColumns(collection);
  const fields = longFieldsAndLists(collection);
  return columnsWithout(collection, fields, Math.floor(bytes / rows / fields.length));
}

/** Whether a value of this row was left out. */
export function isNarrowed(collection: Collection, row: Readonly<Record<string, unknown>>): boolean {
  return isAnyNarrowed(collection, [row]);
}

/** Whether a value of any of these rows was left out. */
export function isAnyNarrowed(collection: Collection, rows: readonly Readonly<Record<string, unknown>>[]): boolean {
  for (const { name } of longFieldsAndLists(collection)) {
    for (const row of rows) if (row[name] === LEFT_OUT) return true;
  }
  return false;
}

/** Whether the long values and lists of ids of one record may be so many bytes. */
export function mayBeLong(collection: Collection, bytes: number): boolean {
  let most = 0;
  for (const field of longFieldsAndLists(collection)) {
    const isList = field.type === 'relation';
    most += isList ? BYTES_OF_ID * mostValues(field as ListDefinition) : mostBytes(collection, field);
  }
  return most > bytes;
}

/** The bytes of a record's long values and lists of ids, a column for each; they are not read for that. */
export function longValueSizes(collection: Collection): SqlSelect['columns'] {
  return longFieldsAndLists(collection).map((field) => ({
    value: call('byteLength', fieldColumn(collection, field, collection.name)),
    as: field.name,
  }));
}

function leftOut(collection: Collection, field: FieldDefinition) {
  return param(LEFT_OUT, columnType(collection, field));
}

function narrowedFields(collection: Collection, rows: number): readonly FieldDefinition[] {
  const long = longFields(collection);
  const most = long.reduce((sum, field) => sum + mostBytes(collection, field), 0);
  return most * rows > PAGE_BYTES ? long : [];
}

const known = new WeakMap<Collection, readonly FieldDefinition[]>();

/** The fields whose values may be long. Relations are always read, because expansion needs them. */
function longFields(collection: Collection): readonly FieldDefinition[] {
  let fields = known.get(collection);
  if (!fields) known.set(collection, (fields = collection.fields.filter((field) => mostBytes(collection, field) > 0)));
  return fields;
}

const knownWithLists = new WeakMap<Collection, readonly FieldDefinition[]>();

/** These and the fields that hold lists of ids. */
function longFieldsAndLists(collection: Collection): readonly FieldDefinition[] {
  let fields = knownWithLists.get(collection);
  if (!fields) {
    const isList = (field: FieldDefinition) => field.type === 'relation' && collection.typeOf(field).isMultiple(field);
    fields = [...longFields(collection), ...collection.fields.filter(isList)];
    knownWithLists.set(collection, fields);
  }
  return fields;
}

/** The most bytes of a value; 0 for a type that is never long. For computed columns of a view it is unknown. */
function mostBytes(collection: Collection, field: FieldDefinition): number {
  const type = collection.typeOf(field);
  if (type.holdsFiles || field.name === 'id' || field.type === 'relation') return 0;
  const kind = type.column(field);
  if (kind !== 'text' && kind !== 'json') return 0;
  if (collection.isView) return Infinity;
  if (type.bodyAllowance) return type.bodyAllowance(field);
  return field.type === 'text' ? (Number(field['max']) || DEFAULT_TEXT) * LONGEST_CHARACTER : 0;
}
