import type { Collection } from '../kernel/collections/collection.js';
import { isSometimesHidden } from '../kernel/collections/shown-fields.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { OperandKind } from '../kernel/fields/field-type.js';
import {
  ANYTHING,
  FLAG,
  FREE_OBJECT,
  listOf,
  NUMBER,
  object,
  partial,
  type Schema,
  SECRET,
  TEXT,
} from '../http/dto/schema.js';

const VALUES: Readonly<Record<OperandKind, Schema>> = {
  T: TEXT,
  D: { type: 'string', description: 'A date like 2026-01-31 12:00:00.000Z, or empty.' },
  N: NUMBER,
  B: FLAG,
  J: ANYTHING,
  M: listOf(TEXT),
  G: object({ lon: NUMBER, lat: NUMBER }),
};

/** Names of the schemas of a collection's records, unique because names of collections are. */
export function schemaNames(collection: Collection): { readonly record: string; readonly input: string } {
  return { record: `${collection.name}.record`, input: `${collection.name}.input` };
}

/**
 * A record as answers show it, with these fields. Hidden fields, and an email its owner keeps to itself, may be
 * missing.
 */
export function recordSchema(collection: Collection, fields: readonly FieldDefinition[]): Schema {
  const optional = fields.filter((field) => isSometimesHidden(collection, field));
  return object(
    {
      collectionId: { const: collection.id, type: 'string' },
      collectionName: { const: collection.name, type: 'string' },
      ...Object.fromEntries(fields.map((field) => [field.name, valueSchema(collection, field)])),
      expand: FREE_OBJECT,
    },
    [...optional.map((field) => field.name), 'expand'],
  );
}

/** What may be sent to create or change a record. Nothing is required: a change names only what it changes. */
export function recordInputSchema(collection: Collection): Schema {
  const properties: Record<string, Schema> = {};
  for (const field of collection.fields) {
    const type = collection.typeOf(field);
    if (type.setByServer) continue;
    const value = field.type === 'password' ? SECRET : valueSchema(collection, field);
    properties[field.name] = type.holdsFiles ? fileInput(type.isMultiple(field)) : value;
    for (const modifier of type.modifiers ?? []) {
      properties[modified(field.name, modifier)] = type.holdsFiles && modifier !== 'remove' ? FILES : ANYTHING;
    }
  }
  if (collection.isAuth) Object.assign(properties, { passwordConfirm: SECRET, oldPassword: SECRET });
  return partial(properties);
}

const FILES: Schema = { description: 'A file, or several.' };

/** Uploads in a form; names of kept files, or null, in JSON. */
function fileInput(multiple: boolean): Schema {
  const name: Schema = { type: 'string', description: 'An upload, or the name of a file to keep.' };
  return multiple ? { anyOf: [listOf(name), name] } : { ...name, type: ['string', 'null'] };
}

function modified(name: string, modifier: 'append' | 'prepend' | 'remove'): string {
  if (modifier === 'prepend') return `+${name}`;
  return modifier === 'append' ? `${name}+` : `${name}-`;
}

function valueSchema(collection: Collection, field: FieldDefinition): Schema {
  const type = collection.typeOf(field);
  const schema = choice(collection, field) ?? VALUES[type.operandKind(field)];
  return field.help === '' ? schema : { ...schema, description: field.help };
}

function choice(collection: Collection, field: FieldDefinition): Schema | undefined {
  const values = field.type === 'select' ? ((field['values'] as readonly string[] | null) ?? []) : [];
  if (values.length === 0) return undefined;
  const one: Schema = { type: 'string', enum: values };
  if (collection.typeOf(field).isMultiple(field)) return listOf(one);
  return field.required ? one : { type: 'string', enum: [...values, ''] };
}
