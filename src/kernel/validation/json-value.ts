import { MAX_JSON_CONTAINERS } from './json-complexity.js';

/**
 * Why a value cannot be stored as JSON: it is none, is nested too deep, is made of too many lists and objects, contains NaN
 * or the like; or is too large.
 */
export type JsonFlaw = 'invalid' | 'size';

interface Level {
  readonly values: readonly unknown[];
  next: number;
}

/**
 * Checks a value before it is written as JSON, which would not end for one that contains itself. `maxSize` is in bytes,
 * underestimated; the check ends when it is exceeded. It uses no recursion.
 */
export function checkJsonValue(
  root: unknown,
  { maxSize, maxDepth }: { readonly maxSize: number; readonly maxDepth: number },
): JsonFlaw | undefined {
  const open: Level[] = [{ values: [root], next: 0 }];
  let size = 0;
  let containers = 0;
  for (let level = open.at(-1); level; level = open.at(-1)) {
    if (level.next === level.values.length) {
      open.pop();
      continue;
    }
    const value = level.values[level.next++];
    // A value and what separates it from the next one.
    size += typeof value === 'string' ? value.length + 3 : 2;
    if (size > maxSize + 1) return 'size';
    if (typeof value === 'object' && value !== null) {
      if (open.length > maxDepth || ++containers > MAX_JSON_CONTAINERS) return 'invalid';
      const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      // Hundreds of thousands of empty lists are not worth as many levels.
      if (values.length > 0) open.push({ values, next: 0 });
    } else if (!isSaid(value)) return 'invalid';
  }
  return undefined;
}

/** NaN and the infinities would be written as null. */
function isSaid(value: unknown): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}
