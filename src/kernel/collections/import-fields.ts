import type { FieldDefinition } from '../fields/field-definition.js';
import { lacksId, type RawField, rawText } from './raw-field.js';

/**
 * The list that an imported definition of a stored collection asks for (COL-95). A stored field that the import does
 * not know by id, but by name and type, is the same field and keeps its id; the others stay unless missing ones are to
 * be deleted, which no list can do to system fields.
 */
export function importedFields(
  imported: readonly RawField[] | undefined,
  stored: readonly FieldDefinition[],
  deleteMissing: boolean,
): readonly RawField[] {
  const list = [...(imported ?? [])];
  const ids = new Set(list.map((raw) => rawText(raw, 'id')));
  const storedIds = new Set(stored.map(({ id }) => id));
  for (const field of stored.filter(({ id }) => !ids.has(id))) {
    // Another field, known by its id, may have taken its name.
    const goes = deleteMissing && !field.system;
    const at = list.findIndex((raw) => mayBe(raw, field) && !(goes && storedIds.has(rawText(raw, 'id'))));
    if (at >= 0) list[at] = { ...withoutId(list[at]!), id: field.id };
  }
  if (deleteMissing) return list;
  const present = new Set(list.map((raw) => rawText(raw, 'id')));
  const missing = stored.filter(({ id }) => !present.has(id));
  // `id` always comes first, also where an export leaves it out (COL-44).
  return [...missing.filter(isIdField), ...list, ...missing.filter((field) => !isIdField(field))];
}

function mayBe(raw: RawField, field: FieldDefinition): boolean {
  const hasProperId = lacksId(raw) || rawText(raw, 'id') !== '';
  return hasProperId && rawText(raw, 'name') === field.name && rawText(raw, 'type') === field.type;
}

function isIdField(field: FieldDefinition): boolean {
  return field.name === 'id';
}

function withoutId(raw: RawField): RawField {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => key.toLowerCase() !== 'id'));
}
