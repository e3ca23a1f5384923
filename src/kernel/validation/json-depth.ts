/** SQLite takes no text for JSON that is nested deeper: a view or an index that reads into such a value would fail. */
export const MAX_JSON_DEPTH = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether lists and objects stand more than `levels` deep in each other in a text that is JSON. Takes linear time. */
export function nestsDeeperThan(json: string, levels: number): boolean {
  if (json.length <= 2 * levels) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = endOfString(json, index);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if ((code === OPEN_LIST || code === OPEN_OBJECT) && ++depth > levels) return true;
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
