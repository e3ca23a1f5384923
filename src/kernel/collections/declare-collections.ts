import type { FieldDefinition } from '../fields/field-definition.js';
import type { OperandKind } from '../fields/field-type.js';
import type { Collection } from './collection.js';
import { isSometimesHidden } from './shown-fields.js';

/** What the values of a kind are in TypeScript. Select values are narrowed where they are known. */
const TYPES: Readonly<Record<OperandKind, string>> = {
  T: 'string',
  D: 'string',
  N: 'number',
  B: 'boolean',
  J: 'unknown',
  M: 'string[]',
  G: '{ lon: number; lat: number }',
};

/**
 * Collections as TypeScript declarations (EXT-24): one interface for the records of each, and a `Collections` map from
 * name to interface. `shownFields` are those of a collection that answers show. Equal collections give equal text.
 */
export function declareCollections(
  collections: readonly Collection[],
  shownFields: (collection: Collection) => readonly FieldDefinition[],
): string {
  const sorted = [...collections].sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = interfaceNames(sorted);
  const interfaces = sorted.map((collection) => declare(collection, names.get(collection)!, shownFields(collection)));
  const entries = sorted.map((collection) => `  ${key(collection.name)}: ${names.get(collection)!};`);
  return [
    '// Made by `roost types`. Do not edit: make it again when collections change.\n',
    ...interfaces,
    `/** The records of every collection by its name. */\nexport interface Collections {\n${entries.join('\n')}\n}\n`,
  ].join('\n');
}

function declare(collection: Collection, name: string, fields: readonly FieldDefinition[]): string {
  const lines = fields.map(
    (field) =>
      `${comment(field)}  ${key(field.name)}${isSometimesHidden(collection, field) ? '?' : ''}: ${typeOf(collection, field)};`,
  );
  return (
    `/** A record of the ${collection.type} collection "${collection.name}". */\n` +
    `export interface ${name} {\n` +
    `  collectionId: ${quote(collection.id)};\n` +
    `  collectionName: ${quote(collection.name)};\n` +
    `${lines.join('\n')}\n}\n`
  );
}

function typeOf(collection: Collection, field: FieldDefinition): string {
  const type = collection.typeOf(field);
  if (field.type !== 'select') return TYPES[type.operandKind(field)];
  const values = (field['values'] as readonly string[] | null) ?? [];
  const choice = values.map(quote).join(' | ') || 'string';
  if (type.isMultiple(field)) return `(${choice})[]`;
  return field.required ? choice : `${choice} | ''`;
}

function comment(field: FieldDefinition): string {
  return field.help === '' ? '' : `  /** ${field.help.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`;
}

function interfaceNames(collections: readonly Collection[]): Map<Collection, string> {
  const taken = new Set(['Collections']);
  const names = new Map<Collection, string>();
  for (const collection of collections) {
    const base = pascalCase(collection.name);
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}${count}`;
    taken.add(name);
    names.set(collection, name);
  }
  return names;
}

function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const text = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return `${/^[A-Za-z]/.test(text) ? text : `C${text}`}Record`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}
