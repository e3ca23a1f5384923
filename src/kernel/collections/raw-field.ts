import { BadRequestError } from '../errors/bad-request.error.js';
import { fieldError } from '../errors/error-codes.js';
import { isJsonObject, looseProperty } from '../json-object.js';

/** A field definition as it was sent: any properties, in any letter case (COL-41). */
export type RawField = Readonly<Record<string, unknown>>;

/** A text property, or ''. A value of another type is reported when the definition is completed. */
export function rawText(raw: RawField, name: string): string {
  const value = looseProperty(raw, name);
  return typeof value === 'string' ? value : '';
}

/** True when the definition has no id. An id of a wrong type counts as one and is reported later. */
export function lacksId(raw: RawField): boolean {
  const id = looseProperty(raw, 'id');
  return id === undefined || id === null || id === '';
}

/** As many columns as a table of SQLite has at most. */
const MOST_FIELDS = 2000;

/** Far more than any kind of field has. Each is looked for ignoring case, among all that were sent. */
const MOST_PROPERTIES = 200;

/**
 * The sent list as definitions. Throws 400 when it is no list, an item is no object, or there are too many, or too many
 * properties of one.
 */
export function rawFields(list: unknown): RawField[] {
  if (!Array.isArray(list)) throw new BadRequestError('The fields have to be a list.');
  if (list.length > MOST_FIELDS) {
    const fields = fieldError('validation_length_too_long', { max: MOST_FIELDS });
    throw new BadRequestError('The collection has too many fields.', { fields });
  }
  return list.map((item: unknown, index) => {
    if (!isJsonObject(item)) throw new BadRequestError('Every field has to be an object.');
    if (Object.keys(item).length > MOST_PROPERTIES) {
      const field = fieldError('validation_length_too_long', { max: MOST_PROPERTIES });
      throw new BadRequestError('A field has too many properties.', { fields: { [index]: field } });
    }
    return item;
  });
}
