import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import { type ListDefinition, mostValues } from '../fields/list-valued-field.js';
import type { SqlSelect } from '../sql/sql-node.js';
import { call, choose, column, compare, param } from '../sql/sql.js';
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
  if (narrowed.length === 0) return rowColumns(collection);
  const most = Math.floor(PAGE_BYTES / rows / narrowed.length);
  return rowColumns(collection).map(({ value, as }) => {
    const field = narrowed.find(({ name }) => name === as);
    if (!field) return { value, as };
    const bytes = call('byteLength', column(collection.name, field.name));
    return { value: choose(compare(bytes, '>', param(most)), leftOut(collection, field), value), as };
  });
}

/** Whether a value of this row was left out. */
export function isNarrowed(collection: Collection, row: Readonly<Record<string, unknown>>): boolean {
  return isAnyNarrowed(collection, [row]);
}

/** Whether a value of any of these rows was left out. */
export function isAnyNarrowed(collection: Collection, rows: readonly Readonly<Record<string, unknown>>[]): boolean {
  for (const { name } of longFields(collection)) {
    for (const row of rows) if (row[name] === LEFT_OUT) return true;
  }
  return false;
}

/** Whether the long values of one record may be so many bytes. */
export function mayBeLong(collection: Collection, bytes: number): boolean {
  const fields = longFields(collection).reduce((sum, field) => sum + mostBytes(collection, field), 0);
  return lists(collection).reduce((sum, field) => sum + BYTES_OF_ID * mostValues(field), fields) > bytes;
}

/** The bytes of a record's long values and lists of ids, a column for each; they are not read for that. */
export function longValueSizes(collection: Collection): SqlSelect['columns'] {
  return [...longFields(collection), ...lists(collection)].map((field) => ({
    value: call('byteLength', fieldColumn(collection, field, collection.name)),
    as: field.name,
  }));
}

/** The sum of what `longValueSizes` has found. */
export function longBytesOf(collection: Collection, sizes: Readonly<Record<string, unknown>>): number {
  return [...longFields(collection), ...lists(collection)].reduce((sum, { name }) => sum + Number(sizes[name] ?? 0), 0);
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

/** The fields that hold lists of ids. */
function lists(collection: Collection): readonly ListDefinition[] {
  return collection.fields.filter(
    (field) => field.type === 'relation' && collection.typeOf(field).isMultiple(field),
  ) as ListDefinition[];
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
