import { isKnownType } from '../fields/field-types.js';
import type { FieldModel } from '../api/collection-model.js';

/** What every field has, whatever its type. */
const COMMON: ReadonlySet<string> = new Set([
  'id',
  'name',
  'type',
  'system',
  'hidden',
  'presentable',
  'required',
  'help',
]);

/** Whether a field has options for which this page has no inputs; a new one of an unknown type may get some. */
export function hasUnknownOptions(field: FieldModel): boolean {
  return !isKnownType(field.type) && (!field.id || Object.keys(ownOptions(field)).length > 0);
}

type Options = Readonly<Record<string, unknown>>;

/** The options that the type of a field brings along. */
export function ownOptions(field: FieldModel): Options {
  return Object.fromEntries(Object.entries(field).filter(([name, value]) => !COMMON.has(name) && value !== undefined));
}

/** What a field becomes by the text of its options, or what is wrong with the text. */
export function readOwnOptions(
  field: FieldModel,
  text: string,
): { readonly change: Options; readonly error?: undefined } | { readonly change?: undefined; readonly error: string } {
  let found: unknown;
  try {
    found = JSON.parse(text.trim() || '{}');
  } catch (error) {
    return { error: `This is no JSON: ${(error as Error).message}` };
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    return { error: 'The options are an object, such as {"max": 5}.' };
  }
  const common = Object.keys(found).find((name) => COMMON.has(name));
  if (common) return { error: `“${common}” is not an option of the type.` };
  // What is taken out has its default again.
  const gone = Object.keys(ownOptions(field)).map((name) => [name, undefined] as const);
  return { change: { ...Object.fromEntries(gone), ...found } };
}
