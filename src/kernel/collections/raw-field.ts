import { BadRequestError } from '../errors/bad-request.error.js';
import { isJsonObject } from '../json-object.js';
import { looseProperty } from '../loose-property.js';

/** A field definition as it was sent: any properties, in any letter case (COL-41). */
export type RawField = Readonly<Record<string, unknown>>;

/** A text property, '' when there is none: whatever else stands there is told to the client when it is completed. */
export function rawText(raw: RawField, name: string): string {
  const value = looseProperty(raw, name);
  return typeof value === 'string' ? value : '';
}

/** True when the definition says nothing of its id; an id of a wrong kind is something, and told to the client. */
export function lacksId(raw: RawField): boolean {
  const id = looseProperty(raw, 'id');
  return id === undefined || id === null || id === '';
}

/** The sent list as definitions. Throws 400 when it is no list or an item is no object. */
export function rawFields(list: unknown): RawField[] {
  if (!Array.isArray(list)) throw new BadRequestError('The fields have to be a list.');
  return list.map((item: unknown) => {
    if (!isJsonObject(item)) throw new BadRequestError('Every field has to be an object.');
    return item;
  });
}
