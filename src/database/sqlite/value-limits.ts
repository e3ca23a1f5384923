import type { ValueLimits } from './query-cost.js';

/** What values usually stay below; a statement is judged once for all of these. */
export const USUAL_LIMITS: ValueLimits = { bytes: 1024, items: 8, effort: 2 };

/**
 * How many characters of a text LIKE may have under comparison with one and the same place of the pattern's parts:
 * where a part begins with a letter that it also has later on, or with `_` behind it, more than one attempt may be
 * underway at each character. 1 for most words.
 */
export function patternEffort(pattern: string): number {
  let effort = 1;
  let first = '';
  let attempts = 0;
  // What stands before the first % is compared once.
  let isFree = false;
  for (let at = 0; at < pattern.length; at++) {
    let char = pattern[at]!;
    if (char === '%') {
      isFree = true;
      first = '';
      attempts = 0;
      continue;
    }
    const isAny = char === '_';
    if (char === '\\' && at + 1 < pattern.length) char = pattern[++at]!;
    if (!isFree || (isAny && first === '')) continue;
    char = char.toLowerCase();
    first ||= char;
    if (isAny || char === first) attempts += 1;
    if (attempts > effort) effort = attempts;
  }
  return effort;
}

/** Limits that these values keep: USUAL_LIMITS itself, or powers of two, so that there are few of them. */
export function limitsOf(params: readonly unknown[], patterns: readonly number[]): ValueLimits {
  let { bytes, items, effort } = USUAL_LIMITS;
  for (const value of params) {
    const size = typeof value === 'string' ? value.length : value instanceof Uint8Array ? value.byteLength : 0;
    if (size * 3 > bytes) bytes = Math.max(bytes, typeof value === 'string' ? Buffer.byteLength(value) : size);
    if (typeof value === 'string' && value[0] === '[') items = Math.max(items, countItems(value));
  }
  for (const place of patterns) {
    const value = params[place - 1];
    if (typeof value === 'string') effort = Math.max(effort, patternEffort(value));
  }
  if (bytes === USUAL_LIMITS.bytes && items === USUAL_LIMITS.items && effort === USUAL_LIMITS.effort)
    return USUAL_LIMITS;
  return { bytes: powerOfTwo(bytes), items: powerOfTwo(items), effort: powerOfTwo(effort) };
}

/** Not fewer than the list has: a comma may as well stand inside an item. */
export function countItems(list: string): number {
  let items = 1;
  for (let at = list.indexOf(','); at >= 0; at = list.indexOf(',', at + 1)) items += 1;
  return items;
}

function powerOfTwo(size: number): number {
  return 2 ** Math.ceil(Math.log2(size));
}
