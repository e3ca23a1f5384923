/** SQLite takes no text for JSON that is nested deeper: a view or an index that reads into such a value would fail. */
export const MAX_JSON_DEPTH = 1000;

/**
 * How deep all lists and objects of a value may stand, added up: JSON.stringify looks for each of them among those it
 * stands in, a quarter of a second for a megabyte of chains of 900 lists (OPS-39).
 */
export const MAX_JSON_NESTING = 20_000_000;

/**
 * How many lists and objects one value may be made of: each takes 200 bytes of memory, and two million of them, which are
 * 4 MB of text, half a second to be written (OPS-39).
 */
export const MAX_JSON_CONTAINERS = 500_000;

/** How many keys an object may have: the time to list those of a larger one cannot be shared with others (OPS-39). */
export const MAX_JSON_KEYS = 50_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether lists and objects stand more than `maxLevels` deep in each other in a text that is JSON, or too deep all
 * together, or there are too many of them, or one of its objects has too many keys. Takes linear time.
 */
export function isTooComplex(json: string, maxLevels = MAX_JSON_DEPTH): boolean {
  if (json.length <= 2 * maxLevels) return false;
  /** Of each open object how many keys it has had; of a list no number. */
  const keys: number[] = [];
  let nesting = 0;
  let containers = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = endOfString(json, index);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) keys.pop();
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      const level = keys.push(code === OPEN_OBJECT ? 1 : NaN);
      nesting += level;
      if (level > maxLevels || nesting > MAX_JSON_NESTING || ++containers > MAX_JSON_CONTAINERS) return true;
    } else if (code === COMMA && keys.length > 0) {
      if (++keys[keys.length - 1]! > MAX_JSON_KEYS) return true;
    }
  }
  return false;
}

/**
 * Where the string that starts at `start` has its closing quote: one before which no odd number of backslashes stands.
 */
function endOfString(json: string, start: number): number {
  let end = start;
  let escapes = 0;
  do {
    end = json.indexOf('"', end + 1);
    if (end === -1) return json.length;
    escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
  } while (escapes % 2 === 1);
  return end;
}
