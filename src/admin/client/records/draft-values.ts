import type { CollectionModel } from '../api/collection-model.js';
import { changedNames, isFileSelection, type FormValues } from './record-form.js';

/** What of a form the browser keeps until it is saved: its changes, but no passwords and no files, which it cannot. */
export function draftValues(collection: CollectionModel, values: FormValues, initial: FormValues): FormValues | null {
  const secret = new Set([
    'passwordConfirm',
    ...collection.fields.filter(({ type }) => type === 'password').map(({ name }) => name),
  ]);
  const names = changedNames(values, initial).filter((name) => !secret.has(name) && !isFileSelection(values[name]));
  return names.length ? Object.fromEntries(names.map((name) => [name, values[name]])) : null;
}
