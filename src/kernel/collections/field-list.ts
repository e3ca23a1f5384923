import type { FieldErrors } from '../errors/field-error.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { FieldTypeRegistry } from '../fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../fields/normalize-field-definition.js';
import { DEFAULT_ID_PATTERN } from '../fields/primary-key.js';
import { checksumId } from '../ids.js';
import { lacksId, type RawField, rawText } from './raw-field.js';
import { type BuiltInField, builtInFields, holdsOwnTime, TIME_FIELDS } from './system-fields.js';

/** A submitted field list and what it replaces. */
export interface FieldListChange {
  readonly type: 'base' | 'auth';
  readonly submitted: readonly RawField[];
  readonly stored: readonly FieldDefinition[];
}

/** The resulting list, or what is wrong with the form of its definitions, by position in it (COL-29), and its names. */
export type FieldList =
  | { readonly fields: readonly FieldDefinition[]; readonly errors?: undefined }
  | { readonly fields?: undefined; readonly errors: FieldErrors; readonly names: readonly string[] };

/**
 * Turns a submitted list into the list a collection will have: fields found again by id or, without one, by name and
 * type; system fields put back; built-in fields added and enforced; ids given; options completed (COL-43 to COL-51).
 */
export function arrangeFields(change: FieldListChange, types: FieldTypeRegistry): FieldList {
  const builtIns = builtInFields(change.type);
  let list = withIdsOfNamesakes(change.submitted.map((raw) => ownBuiltIn(raw, builtIns, change.stored)));
  list = withoutRepeated(list);
  list = withStoredIds(list, change.stored);
  list = withSystemFields(list, change.stored);
  list = withBuiltIns(list, builtIns);
  list = withNewIds(list, change.stored).map((raw) => enforced(raw, builtIns));
  return completed(list, change.stored, types);
}

/** Definitions with all options; a stored system field stays one. */
function completed(list: readonly RawField[], stored: readonly FieldDefinition[], types: FieldTypeRegistry): FieldList {
  const systemNames = new Map(stored.filter((field) => field.system).map((field) => [field.id, field.name]));
  const errors: Record<string, FieldErrors[string]> = {};
  const fields = list.flatMap((raw, index) => {
    const { definition, errors: wrong } = normalizeFieldDefinition(raw, types);
    // Renaming is allowed for timestamps only (COL-97); any other renamed system field is refused.
    const staysSystem = definition !== undefined && systemNames.get(definition.id) === definition.name;
    if (definition) return [staysSystem ? { ...definition, system: true } : definition];
    errors[String(index)] = wrong;
    return [];
  });
  if (Object.keys(errors).length === 0) return { fields };
  return { errors, names: list.map((raw) => rawText(raw, 'name')) };
}

/** COL-51: of two fields with the same id, or without id and of the same name, the later takes the earlier's place. */
function withoutRepeated(list: readonly RawField[]): RawField[] {
  const places = new Map<string, RawField>();
  for (const raw of list) {
    const id = rawText(raw, 'id');
    const name = rawText(raw, 'name');
    // A field without id and name gets an error of its own, so each of them stays.
    const key = id ? `id:${id}` : name ? `name:${name}` : `place:${places.size}`;
    places.set(key, raw);
  }
  return [...places.values()];
}

/**
 * Scripts written for PocketBase append fields without id to the list they have read, each time they run, and
 * timestamps to a scaffold that has none there. A field without id that repeats name and type of an earlier one
 * replaces it, as in PocketBase; a timestamp does so wherever it stands.
 */
function withIdsOfNamesakes(list: readonly RawField[]): RawField[] {
  const keys = list.map((raw) => JSON.stringify([rawText(raw, 'name'), rawText(raw, 'type')]));
  // The place of the first field with an id, by name and type.
  const places = new Map<string, number>();
  for (const [index, raw] of list.entries()) {
    if (!lacksId(raw) && !places.has(keys[index]!)) places.set(keys[index]!, index);
  }
  return list.map((raw, index) => {
    const name = rawText(raw, 'name');
    if (!lacksId(raw) || name === '') return raw;
    const place = places.get(keys[index]!);
    const isFound = place !== undefined && (place < index || TIME_FIELDS.includes(name));
    return isFound ? withProperty(raw, 'id', rawText(list[place]!, 'id')) : raw;
  });
}

/**
 * COL-45: a submitted field with the name of a built-in one is replaced by that, except for timestamps of another type.
 */
function ownBuiltIn(raw: RawField, builtIns: readonly BuiltInField[], stored: readonly FieldDefinition[]): RawField {
  const name = rawText(raw, 'name');
  const builtIn = builtIns.find((field) => field.name === name);
  const stays = name === 'id' || TIME_FIELDS.includes(name);
  if (!builtIn || stays || rawText(raw, 'type') === builtIn.type) return raw;
  return stored.find((field) => field.name === name && field.type === builtIn.type) ?? newBuiltIn(builtIn);
}

/** COL-49: a field without id is the stored one of the same name and type, unless another field is. */
function withStoredIds(list: readonly RawField[], stored: readonly FieldDefinition[]): RawField[] {
  const used = new Set(list.map((raw) => rawText(raw, 'id')));
  const byName = new Map(stored.filter((field) => !used.has(field.id)).map((field) => [field.name, field]));
  return list.map((raw) => {
    if (!lacksId(raw)) return raw;
    const namesake = byName.get(rawText(raw, 'name'));
    const match = namesake?.type === rawText(raw, 'type') ? namesake : undefined;
    return match ? withProperty(raw, 'id', match.id) : raw;
  });
}

/** COL-48: stored system fields that are missing come back, unless another field claims their name. */
function withSystemFields(list: readonly RawField[], stored: readonly FieldDefinition[]): RawField[] {
  const ids = new Set(list.map((raw) => rawText(raw, 'id')));
  const names = new Set(list.map((raw) => rawText(raw, 'name')));
  const missing = stored.filter((field) => field.system && !ids.has(field.id) && !names.has(field.name));
  return [
    ...missing.filter((field) => field.name === 'id'),
    ...list,
    ...missing.filter((field) => field.name !== 'id'),
  ];
}

function withBuiltIns(list: readonly RawField[], builtIns: readonly BuiltInField[]): RawField[] {
  const given = list.map((raw) => ({ name: rawText(raw, 'name'), type: rawText(raw, 'type') }));
  const missing = builtIns.filter(
    (builtIn) =>
      !holdsOwnTime(given, builtIn) && !given.some(({ name, type }) => name === builtIn.name && type === builtIn.type),
  );
  const [ids, others] = [missing.filter(isId), missing.filter((field) => !isId(field))];
  return [...ids.map(newBuiltIn), ...list, ...others.map(newBuiltIn)];
}

function isId(field: BuiltInField): boolean {
  return field.name === 'id';
}

function newBuiltIn(field: BuiltInField): RawField {
  return { name: field.name, type: field.type, ...field.defaults };
}

/** COL-27. Ids of stored fields are avoided too: a new field must never be taken for one that is being removed. */
function withNewIds(list: readonly RawField[], stored: readonly FieldDefinition[]): RawField[] {
  const taken = new Set([...list.map((raw) => rawText(raw, 'id')), ...stored.map((field) => field.id)]);
  return list.map((raw) => {
    if (!lacksId(raw)) return raw;
    const id = checksumId(rawText(raw, 'type'), rawText(raw, 'name'), (candidate) => taken.has(candidate));
    taken.add(id);
    return withProperty(raw, 'id', id);
  });
}

function enforced(raw: RawField, builtIns: readonly BuiltInField[]): RawField {
  const builtIn = builtIns.find((field) => field.name === rawText(raw, 'name') && field.type === rawText(raw, 'type'));
  if (!builtIn) return raw;
  let result = raw;
  for (const [property, value] of Object.entries(builtIn.enforced)) result = withProperty(result, property, value);
  const emptyPattern = isId(builtIn) && rawText(result, 'pattern') === '';
  return emptyPattern ? withProperty(result, 'pattern', DEFAULT_ID_PATTERN) : result;
}

/** The definition with one property set, whatever letter case it was sent in. */
function withProperty(raw: RawField, property: string, value: unknown): RawField {
  const others = Object.entries(raw).filter(([key]) => key.toLowerCase() !== property.toLowerCase());
  return { ...Object.fromEntries(others), [property]: value };
}
