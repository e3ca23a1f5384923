/** What keeps a value from being stored as JSON: no JSON at all, too deep, a number it has no word for; or too large. */
export type JsonFlaw = 'invalid' | 'size';

interface Level {
  readonly values: readonly unknown[];
  next: number;
}

/**
 * Looks through a value before it is written as JSON, which has no end for what contains itself, and goes on to the end
 * of what is too large. `maxSize` is in bytes, counted low; the work ends where it is passed. Takes no stack.
 */
export function checkJsonValue(
  root: unknown,
  { maxSize, maxDepth }: { readonly maxSize: number; readonly maxDepth: number },
): JsonFlaw | undefined {
  if (typeof root !== 'object' || root === null) return isSaid(root) ? undefined : 'invalid';
  const open: Level[] = [{ values: [root], next: 0 }];
  let size = 0;
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
      if (open.length > maxDepth) return 'invalid';
      open.push({ values: Array.isArray(value) ? value : Object.values(value), next: 0 });
    } else if (!isSaid(value)) return 'invalid';
  }
  return undefined;
}

/** Numbers that are none, and those beyond the range of a double, would be written as null. */
function isSaid(value: unknown): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}
