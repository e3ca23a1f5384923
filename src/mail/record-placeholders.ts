import type { MailTemplate } from '../kernel/collections/auth-options.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { PlaceholderValues } from '../kernel/mail/fill-template.js';

/**
 * `RECORD:<field>` for each field of the record that these texts name and that is not hidden, the email whatever its
 * visibility (AUTH-1304). What nobody asks for may be large.
 */
export function recordPlaceholders(record: RecordModel, { subject, body }: MailTemplate): PlaceholderValues {
  const { collection } = record;
  const isNamed = (name: string) => [subject, body].some((text) => text.includes(`{RECORD:${name}}`));
  const visible = collection.fields.filter(({ name, hidden }) => !hidden && isNamed(name));
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
