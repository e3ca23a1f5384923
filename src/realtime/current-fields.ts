import type { Collection } from '../kernel/collections/collection.js';
import { RecordModel } from '../kernel/records/record-model.js';
import type { SqlValue } from '../kernel/fields/field-type.js';

/** A record with the fields its collection has now: what was renamed keeps its value, what is new is empty. */
export function withCurrentFields(record: RecordModel, collection: Collection): RecordModel {
  if (record.collection === collection) return record;
  const before = record.toRow();
  const row: Record<string, SqlValue> = {};
  for (const field of collection.fields) {
    const old = record.collection.fieldById(field.id);
    const type = collection.typeOf(field);
    row[field.name] =
      old?.type === field.type ? before[old.name]! : type.toColumn(type.normalize(undefined, field), field);
  }
  return RecordModel.fromRow(collection, row);
}
