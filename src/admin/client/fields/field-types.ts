import type { FieldModel } from '../api/collection-model.js';

export interface FieldTypeInfo {
  readonly type: string;
  readonly label: string;
  readonly about: string;
  /** The options a new field of this type starts with. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The types of fields in the order in which they are offered (chapter 01). */
export const FIELD_TYPES: readonly FieldTypeInfo[] = [
  {
    type: 'text',
    label: 'Plain text',
    about: 'Names, titles, codes',
    options: { min: 0, max: 0, pattern: '', autogeneratePattern: '', primaryKey: false },
  },
  {
    type: 'editor',
    label: 'Rich text',
    about: 'HTML, written in an editor',
    options: { maxSize: 0, convertURLs: false },
  },
  { type: 'number', label: 'Number', about: 'Whole or decimal', options: { min: null, max: null, onlyInt: false } },
  { type: 'bool', label: 'Bool', about: 'True or false', options: {} },
  { type: 'email', label: 'E-mail', about: 'One address', options: { exceptDomains: null, onlyDomains: null } },
  { type: 'url', label: 'URL', about: 'One web address', options: { exceptDomains: null, onlyDomains: null } },
  { type: 'date', label: 'Date and time', about: 'A moment, stored in UTC', options: { min: '', max: '' } },
  {
    type: 'autodate',
    label: 'Autodate',
    about: 'Set when a record is written',
    options: { onCreate: true, onUpdate: false },
  },
  { type: 'select', label: 'Select', about: 'One or several fixed values', options: { values: [], maxSelect: 1 } },
  {
    type: 'file',
    label: 'File',
    about: 'Uploads, with thumbnails',
    options: { maxSize: 0, maxSelect: 1, mimeTypes: [], thumbs: [], protected: false },
  },
  {
    type: 'relation',
    label: 'Relation',
    about: 'Records of a collection',
    options: { collectionId: '', cascadeDelete: false, minSelect: 0, maxSelect: 1 },
  },
  { type: 'json', label: 'JSON', about: 'Any structure', options: { maxSize: 0 } },
  { type: 'geoPoint', label: 'Geo point', about: 'Longitude and latitude', options: {} },
  {
    type: 'password',
    label: 'Password',
    about: 'Stored as a hash only',
    options: { min: 0, max: 0, pattern: '', cost: 0 },
  },
];

/** Is it a type of Roost itself, and not of a team's? */
export function isKnownType(type: string): boolean {
  return FIELD_TYPES.some((each) => each.type === type);
}

export function fieldTypeLabel(type: string): string {
  return FIELD_TYPES.find((each) => each.type === type)?.label ?? type;
}

/** A field that does not exist yet; the server gives it an id. */
export function newField(type: string, name: string): FieldModel {
  const info = FIELD_TYPES.find((each) => each.type === type);
  return {
    id: '',
    name,
    type,
    system: false,
    hidden: false,
    presentable: false,
    required: false,
    help: '',
    ...structuredClone(info?.options ?? {}),
  };
}
