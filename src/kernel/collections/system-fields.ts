import { DEFAULT_ID_PATTERN } from '../fields/primary-key.js';
import type { CollectionType } from './collection.js';

/** A field every collection of a type has: its defaults, and the properties that cannot be changed. */
export interface BuiltInField {
  readonly name: string;
  readonly type: string;
  /** The definition used when the request has none (COL-43). */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Laid over whatever was supplied, on every save. */
  readonly enforced: Readonly<Record<string, unknown>>;
}

const ID: BuiltInField = {
  name: 'id',
  type: 'text',
  defaults: { min: 15, max: 15, pattern: DEFAULT_ID_PATTERN, autogeneratePattern: '[a-z0-9]{15}' },
  enforced: { system: true, required: true, primaryKey: true, hidden: false },
};

const ACCOUNT: readonly BuiltInField[] = [
  {
    name: 'password',
    type: 'password',
    defaults: { min: 8 },
    enforced: { system: true, hidden: true, required: true },
  },
  {
    name: 'tokenKey',
    type: 'text',
    defaults: { min: 30, max: 60, autogeneratePattern: '[a-zA-Z0-9]{50}' },
    enforced: { system: true, hidden: true, required: true },
  },
  { name: 'email', type: 'email', defaults: { required: true }, enforced: { system: true, hidden: false } },
  { name: 'emailVisibility', type: 'bool', defaults: {}, enforced: { system: true } },
  { name: 'verified', type: 'bool', defaults: {}, enforced: { system: true } },
];

const TIMES: readonly BuiltInField[] = [
  { name: 'created', type: 'autodate', defaults: {}, enforced: { system: true, onCreate: true, onUpdate: false } },
  { name: 'updated', type: 'autodate', defaults: {}, enforced: { system: true, onCreate: true, onUpdate: true } },
];

/** The names of the two times that every record has. */
export const TIME_FIELDS: readonly string[] = TIMES.map((field) => field.name);

/**
 * True when a field of another type has the name of one of the two times, in whatever letter case: it is kept, and the
 * collection has no system field of that name (COL-45).
 */
export function holdsOwnTime(fields: readonly { name: string; type: string }[], { name, type }: BuiltInField): boolean {
  if (!TIME_FIELDS.includes(name)) return false;
  return fields.some((field) => field.name.toLowerCase() === name && !(field.name === name && field.type === type));
}

const BUILT_IN: Readonly<Record<CollectionType, readonly BuiltInField[]>> = {
  base: [ID, ...TIMES],
  auth: [ID, ...ACCOUNT, ...TIMES],
  view: [],
};

/** The built-in fields of a collection type in their order (COL-43, COL-46). */
export function builtInFields(type: CollectionType): readonly BuiltInField[] {
  return BUILT_IN[type];
}

/** Names a field of an auth collection cannot have, because bodies use them for something else (COL-28). */
export const RESERVED_AUTH_NAMES: readonly string[] = ['passwordConfirm', 'oldPassword'];
