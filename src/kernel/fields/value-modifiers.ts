import type { ValueModifier } from './field-type.js';

/** What a body key does to its field. */
export type KeyAction = ValueModifier | 'set' | 'autogenerate';

/** A body key taken apart. */
export interface BodyKey {
  readonly name: string;
  readonly action: KeyAction;
}

/** Far more than a field's name and a modifier take. */
const LONGEST_KEY = 250;

const FORM = /^(?:\+(?<prepended>\w+)|(?<name>\w+)(?<suffix>\+|-|:autogenerate)?)$/;
const SUFFIXES: Readonly<Record<string, KeyAction>> = { '+': 'append', '-': 'remove', ':autogenerate': 'autogenerate' };

/** Reads `name`, `name+`, `+name`, `name-` and `name:autogenerate`; undefined for a key in any other form. */
export function parseBodyKey(key: string): BodyKey | undefined {
  if (key.length > LONGEST_KEY) return undefined;
  const { prepended, name, suffix } = FORM.exec(key)?.groups ?? {};
  if (prepended !== undefined) return { name: prepended, action: 'prepend' };
  if (name === undefined) return undefined;
  return { name, action: suffix === undefined ? 'set' : SUFFIXES[suffix]! };
}
