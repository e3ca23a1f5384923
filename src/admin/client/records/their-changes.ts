import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { sameValue, type FormValues } from './record-form.js';

/** A field that somebody else changed while the record was open. */
export interface TheirChange {
  readonly field: FieldModel;
  /** It was changed here too, to something else: one of both is lost. */
  readonly isContested: boolean;
}

/** What is never shown, or never edited as it is. */
const NEVER_COMPARED = new Set(['id', 'password', 'tokenKey']);

/** What was changed elsewhere, given the inputs as they were, as they are stored now, and as they stand in the form. */
export function theirChanges(
  collection: CollectionModel,
  before: FormValues,
  theirs: FormValues,
  mine: FormValues,
): TheirChange[] {
  return collection.fields
    .filter(({ name }) => name in theirs && !NEVER_COMPARED.has(name) && !sameValue(before[name], theirs[name]))
    .map((field) => {
      const { name } = field;
      return { field, isContested: !sameValue(mine[name], before[name]) && !sameValue(mine[name], theirs[name]) };
    });
}

/** The form over what is stored now: what was changed here stays, unless theirs is wanted. */
export function mergedForm(
  before: FormValues,
  theirs: FormValues,
  mine: FormValues,
  wanted: ReadonlySet<string>,
): FormValues {
  const kept = Object.entries(mine).filter(([name, value]) => !wanted.has(name) && !sameValue(value, before[name]));
  return { ...theirs, ...Object.fromEntries(kept) };
}
