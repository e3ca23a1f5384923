import { isJsonObject } from '../../../kernel/json-object.js';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { ruleText } from '../collections/rule-text.js';

/** One property that an import gives another value. */
export interface PropertyChange {
  /** What has the property: the field, or '' for the collection itself. */
  readonly field: string;
  /** The path of the property; '' where the field as a whole comes or goes. */
  readonly property: string;
  /** Undefined where there was nothing. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

function textOf(value: unknown, property: string): string {
  if (property.endsWith('Rule')) return ruleText(value as string | null, property);
  if (value === null || value === undefined || value === '') return 'empty';
  if (Array.isArray(value)) {
    const isPlain = value.every((each) => typeof each !== 'object' || each === null);
    return value.length === 0 ? 'empty' : isPlain ? value.join(', ') : JSON.stringify(value);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

/** Nothing said and nothing in it are the same to the server. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The properties of one thing that differ, objects property by property. */
function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  leftOut: ReadonlySet<string>,
  path = '',
): Omit<PropertyChange, 'field'>[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !leftOut.has(`${path}${name}`))
    .flatMap((name) => {
      const [old, now] = [before[name], after[name]];
      const property = `${path}${name}`;
      if (isJsonObject(old) && isJsonObject(now)) return differences(old, now, leftOut, `${property}.`);
      const isRule = name.endsWith('Rule');
      if (JSON.stringify(old) === JSON.stringify(now) || (!isRule && isEmpty(old) && isEmpty(now))) return [];
      return [{ property, from: textOf(old, name), to: textOf(now, name) }];
    });
}

const OF_COLLECTION = new Set(['id', 'fields', 'indexes', 'created', 'updated']);
const OF_FIELD = new Set(['id']);

function describeField(field: FieldModel): string {
  return [field.type, field.required ? 'required' : '', field.hidden ? 'hidden' : ''].filter(Boolean).join(', ');
}

/** What an import changes in a collection, property by property: its own, those of its fields, its indexes. */
export function propertyChanges(before: CollectionModel, after: CollectionModel): PropertyChange[] {
  const counterpart = (field: FieldModel, among: readonly FieldModel[]) =>
    among.find((each) => Boolean(each.id) && each.id === field.id) ??
    among.find((each) => each.name === field.name && each.type === field.type);
  const own = differences({ ...before }, { ...after }, OF_COLLECTION).map((each) => ({ field: '', ...each }));
  const fields = after.fields.flatMap((field): PropertyChange[] => {
    const old = counterpart(field, before.fields);
    if (!old) return [{ field: field.name, property: '', from: undefined, to: describeField(field) }];
    return differences({ ...old }, { ...field }, OF_FIELD).map((each) => ({ field: old.name, ...each }));
  });
  const gone = before.fields
    .filter((field) => !counterpart(field, after.fields))
    .map((field) => ({ field: field.name, property: '', from: describeField(field), to: undefined }));
  const [oldIndexes, indexes] = [before.indexes ?? [], after.indexes ?? []];
  const index = (from: string | undefined, to: string | undefined) => ({ field: '', property: 'index', from, to });
  return [
    ...own,
    ...fields,
    ...gone,
    ...oldIndexes.filter((each) => !indexes.includes(each)).map((each) => index(each, undefined)),
    ...indexes.filter((each) => !oldIndexes.includes(each)).map((each) => index(undefined, each)),
  ];
}
