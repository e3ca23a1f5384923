import type { JsonObject } from '../../kernel/json-object.js';

/** The value at a path of keys and list positions such as `images.0.url`; undefined when it leads nowhere. */
export function valueAt(source: unknown, path: string): unknown {
  let value = source;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as JsonObject)[step];
  }
  return value;
}

/**
 * The text at a path, '' when there is none. A number becomes text, except where JSON has already rounded it: two
 * different accounts must never share an id.
 */
export function textAt(source: unknown, path: string): string {
  const value = valueAt(source, path);
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : '';
}

/** What providers send for yes: `true` and 1, also as texts in any letter case. */
export function isTrueAt(source: unknown, path: string): boolean {
  const value = valueAt(source, path);
  return /^(true|1)$/i.test(String(value)) && typeof value !== 'object';
}
