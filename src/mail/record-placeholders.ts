import type { RecordModel } from '../kernel/records/record-model.js';
import type { PlaceholderValues } from '../kernel/mail/fill-template.js';

/** `RECORD:<field>` for each field of the record that is not hidden, the email whatever its visibility (AUTH-1304). */
export function recordPlaceholders(record: RecordModel): PlaceholderValues {
  const { collection } = record;
  const visible = collection.fields.filter((field) => !field.hidden);
  return Object.fromEntries(
    visible.map((field) => {
      const value = record.get(field.name);
      const type = collection.typeOf(field);
      return [`RECORD:${field.name}`, toText(type.toJson ? type.toJson(value, field) : value)];
    }),
  );
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
