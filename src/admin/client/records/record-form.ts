import { PASSWORDS_DIFFER } from '../api/use-field-errors.js';
import type { RecordModel } from 'pocketbase';
import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';

/** The files of a field while they are edited: stored ones in order, those marked for deletion, new ones. */
export interface FileSelection {
  readonly stored: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly File[];
}

/** The values of the inputs by field name. JSON fields hold their text, file fields a FileSelection. */
export type FormValues = Readonly<Record<string, unknown>>;

export function isFileSelection(value: unknown): value is FileSelection {
  return typeof value === 'object' && value !== null && 'stored' in value && 'added' in value;
}

function emptyValue(field: FieldModel): unknown {
  if (isMultiple(field) && field.type !== 'file') return [];
  switch (field.type) {
    case 'bool':
      return false;
    case 'number':
      return '';
    case 'file':
      return { stored: [], removed: [], added: [] } satisfies FileSelection;
    case 'geoPoint':
      return { lon: 0, lat: 0 };
    default:
      return '';
  }
}

/** The inputs of a record that does not exist yet. */
export function emptyForm(collection: CollectionModel): FormValues {
  return Object.fromEntries(
    collection.fields.filter((field) => field.type !== 'autodate').map((field) => [field.name, emptyValue(field)]),
  );
}

/** The inputs of a stored record. */
export function formOf(record: RecordModel, collection: CollectionModel): FormValues {
  const entries = collection.fields
    .filter((field) => field.type !== 'autodate')
    .map((field) => {
      const value = record[field.name] as unknown;
      if (field.type === 'json')
        return [field.name, value === null || value === undefined ? '' : JSON.stringify(value, null, 2)];
      if (field.type === 'file')
        return [field.name, { stored: [value as string | string[]].flat().filter(Boolean), removed: [], added: [] }];
      if (field.type === 'password') return [field.name, ''];
      return [field.name, value ?? emptyValue(field)];
    });
  return Object.fromEntries(entries) as FormValues;
}

/** The same without the files of a record that is gone. */
export function withoutStoredFiles(values: FormValues): FormValues {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    isFileSelection(value) ? { ...value, stored: [], removed: [] } : value,
  ]);
  return Object.fromEntries(entries) as FormValues;
}

/** Whether two input values mean the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isFileSelection(a) && isFileSelection(b)) {
    return (
      a.added.length === 0 &&
      b.added.length === 0 &&
      JSON.stringify([a.stored, a.removed]) === JSON.stringify([b.stored, b.removed])
    );
  }
  return JSON.stringify(a) === JSON.stringify(b);
}

export function changedNames(values: FormValues, initial: FormValues): string[] {
  return Object.keys(values).filter((name) => !sameValue(values[name], initial[name]));
}

export interface RecordBody {
  readonly body: Record<string, unknown>;
  /** Field errors found before sending, in the shape the server would use. */
  readonly errors: Record<string, { code: string; message: string }>;
}

function fileBody(value: FileSelection, field: FieldModel): unknown {
  const kept = value.stored.filter((name) => !value.removed.includes(name));
  if (isMultiple(field)) return [...kept, ...value.added];
  return value.added.at(-1) ?? kept.at(-1) ?? '';
}

/** What is sent: on create everything that was filled in, on update only what changed. */
export function bodyOf(
  values: FormValues,
  initial: FormValues,
  collection: CollectionModel,
  isNew: boolean,
): RecordBody {
  const body: Record<string, unknown> = {};
  const errors: RecordBody['errors'] = {};
  for (const field of collection.fields) {
    const { name } = field;
    if (!(name in values) || (field.name === 'tokenKey' && collection.type === 'auth')) continue;
    const value = values[name];
    if (sameValue(value, initial[name]) && !(isNew && field.type === 'bool')) continue;
    if (field.type === 'json') {
      const text = String(value).trim();
      try {
        body[name] = text === '' ? null : JSON.parse(text);
      } catch (error) {
        errors[name] = {
          code: 'validation_invalid_json',
          message: `This is not valid JSON: ${(error as Error).message}`,
        };
      }
    } else if (isFileSelection(value)) body[name] = fileBody(value, field);
    else if (field.type === 'number') body[name] = value === '' ? 0 : value;
    else body[name] = value;
  }
  if (collection.type === 'auth' && values.password) {
    body.password = values.password;
    body.passwordConfirm = values.passwordConfirm;
    if (values.password !== values.passwordConfirm) errors.passwordConfirm = PASSWORDS_DIFFER;
  }
  return { body, errors };
}
