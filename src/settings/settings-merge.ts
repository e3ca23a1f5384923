import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { looseProperty } from '../kernel/json-object.js';

type Json = Record<string, unknown>;

/**
 * Lays a partial object over another of a fixed shape (OPS-3): objects key by key at every level, arrays as a whole,
 * the letter case of a key free, unknown keys ignored, `null` leaves a scalar and empties an array. Throws 400 when a
 * JSON type does not fit.
 */
export function mergeSettings<Shape extends object>(base: Shape, change: unknown, path = ''): Shape {
  if (change === undefined || change === null) return base;
  if (typeof change !== 'object' || Array.isArray(change)) throw wrongType(path);
  const merged: Json = { ...(base as Json) };
  for (const [key, stored] of Object.entries(base)) {
    const value = looseProperty(change as Json, key);
    if (value !== undefined) merged[key] = mergeValue(stored, value, path ? `${path}.${key}` : key);
  }
  return merged as Shape;
}

function mergeValue(base: unknown, value: unknown, path: string): unknown {
  if (Array.isArray(base)) {
    if (value === null) return [];
    return mergeList(value, path);
  }
  if (typeof base === 'object' && base !== null) return mergeSettings(base, value, path);
  if (value === null) return base;
  // All numbers of the settings are integers that JSON keeps (OPS-38); 1e400, which is read as Infinity, is none.
  if (typeof value !== typeof base || (typeof value === 'number' && !Number.isSafeInteger(value)))
    throw wrongType(path);
  return value;
}

function wrongType(path: string): BadRequestError {
  return new BadRequestError(path ? `The setting ${path} has the wrong type.` : 'The settings must be an object.');
}

/** The shape of the items of the lists that hold objects; every other list holds texts. */
const ITEMS: Readonly<Record<string, object>> = {
  'rateLimits.rules': { label: '', audience: '', duration: 0, maxRequests: 0 },
};

function mergeList(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw wrongType(path);
  const item = ITEMS[path];
  return value.map((entry: unknown, index) => {
    if (item && typeof entry === 'object' && entry !== null) return mergeSettings(item, entry, `${path}.${index}`);
    if (item || typeof entry !== 'string') throw wrongType(`${path}.${index}`);
    return entry;
  });
}
