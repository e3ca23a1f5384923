import type { FieldDefinition } from '../fields/field-definition.js';
import type { OperandKind } from '../fields/field-type.js';
import { findRelation } from '../resolve/relations.js';
import type { Collection } from './collection.js';
import type { CollectionCatalog } from './collection-catalog.js';
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

/** An arbitrary time, used to find out whether a field generates its value. */
const SOME_TIME = '2000-01-01 00:00:00.000Z';

/**
 * Collections as TypeScript declarations (EXT-24): one interface for the records of each, and a `Collections` map from
 * name to interface. `shownFields` are those of a collection that answers show. Equal collections give equal text.
 *
 * `$types`, which no record has, tells Roost's own types what an interface of values cannot say (EXT-27).
 */
export function declareCollections(
  catalog: CollectionCatalog,
  shownFields: (collection: Collection) => readonly FieldDefinition[],
): string {
  const sorted = [...catalog.all()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = interfaceNames(sorted);
  const interfaces = sorted.map((collection) =>
    declare(collection, names.get(collection)!, shownFields(collection), declareNotes(collection, sorted, catalog)),
  );
  const entries = sorted.map((collection) => `  ${key(collection.name)}: ${names.get(collection)!};`);
  return [
    '// Made by `roost types`. Do not edit: make it again when collections change.\n',
    ...interfaces,
    `/** The records of every collection by its name. */\nexport interface Collections {\n${entries.join('\n')}\n}\n`,
  ].join('\n');
}

function declare(collection: Collection, name: string, fields: readonly FieldDefinition[], notes: string): string {
  const lines = fields.map(
    (field) =>
      `${comment(field)}  ${key(field.name)}${isSometimesHidden(collection, field) ? '?' : ''}: ${typeOf(collection, field)};`,
  );
  return (
    `/** A record of the ${collection.type} collection "${collection.name}". */\n` +
    `export interface ${name} {\n` +
    `  collectionId: ${quote(collection.id)};\n` +
    `  collectionName: ${quote(collection.name)};\n` +
    `${lines.join('\n')}\n${notes}}\n`
  );
}

function declareNotes(collection: Collection, all: readonly Collection[], catalog: CollectionCatalog): string {
  const written = collection.type === 'view' ? [] : collection.fields;
  const required = written.filter((field) => mustBeGiven(collection, field)).map(({ name }) => quote(name));
  const inputs = written.flatMap((field) => {
    const type = inputOf(collection, field);
    return type === undefined ? [] : [`${key(field.name)}: ${type}`];
  });
  const expand = steps(collection, all).flatMap((step) => {
    const relation = findRelation(collection, step, catalog);
    if (!relation) return [];
    return [`${key(step)}: ${quote(relation.target.name)}${relation.multi ? '[]' : ''}`];
  });
  const notes = [
    ...(required.length > 0 ? [`    required: ${required.join(' | ')};\n`] : []),
    ...(inputs.length > 0 ? [`    inputs: { ${inputs.join('; ')} };\n`] : []),
    ...(expand.length > 0 ? [`    expand: { ${expand.join('; ')} };\n`] : []),
  ];
  return notes.length === 0 ? '' : `  $types?: {\n${notes.join('')}  };\n`;
}

/** Whether a field is required and does not generate its value. */
function mustBeGiven(collection: Collection, field: FieldDefinition): boolean {
  const type = collection.typeOf(field);
  if (!field.required || field.name === 'id' || type.setByServer) return false;
  const zero = type.normalize(undefined, field);
  return type.isZero(type.complete?.(zero, field, { isNew: true, now: SOME_TIME }) ?? zero, field);
}

/** The additional types that a field accepts on input. */
function inputOf(collection: Collection, field: FieldDefinition): string | undefined {
  const type = collection.typeOf(field);
  if (type.setByServer) return undefined;
  if (type.operandKind(field) === 'D') return 'string | Date';
  if (!type.holdsFiles) return undefined;
  return type.isMultiple(field) ? '(string | Blob | Uint8Array)[]' : 'string | Blob | Uint8Array';
}

/** What may stand in an expand path after a record of the collection. */
function steps(collection: Collection, all: readonly Collection[]): string[] {
  const back = all.flatMap((other) =>
    other.fields
      .filter((field) => field.type === 'relation' && field['collectionId'] === collection.id)
      .map((field) => `${other.name}_via_${field.name}`),
  );
  return [...collection.fields.map(({ name }) => name), ...back];
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
