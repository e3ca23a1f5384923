import type { CollectionModel } from '../api/collection-model.js';
import { changedNames, isFileSelection, type FormValues } from './record-form.js';

/** What of a form is kept in the browser until it is saved: changes, but no passwords, and no files, which cannot be. */
export function draftValues(collection: CollectionModel, values: FormValues, initial: FormValues): FormValues | null {
  const secret = new Set([
    'passwordConfirm',
    ...collection.fields.filter(({ type }) => type === 'password').map(({ name }) => name),
  ]);
  const names = changedNames(values, initial).filter((name) => !secret.has(name) && !isFileSelection(values[name]));
  return names.length ? Object.fromEntries(names.map((name) => [name, values[name]])) : null;
}
