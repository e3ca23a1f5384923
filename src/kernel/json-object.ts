/** What a JSON object is before anything is known of its values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells an object from everything else that JSON can be. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A property of something that was sent: the exact name first, else ignoring case, so that other spellings of the same
 * name (`MaxSize`, `authUrl`) are understood. What is only inherited does not count.
 */
export function looseProperty(sent: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(sent, name)) return sent[name];
  const lower = name.toLowerCase();
  const key = Object.keys(sent).find((candidate) => candidate.toLowerCase() === lower);
  return key === undefined ? undefined : sent[key];
}

/** What a database that keeps JSON as values refuses in texts: U+0000, and half a character of two. */
const NEVER_KEPT = /\\u(?:0000|d[89a-f]..)/i;

/** A longer text is none, because telling takes as long as reading it: 0.4 s for 4 million brackets (OPS-39). */
const LONGEST_DOCUMENT = 256 * 1024;

/** Tells the compact JSON of an object or a list that any database can keep, as one that was stored is written. */
export function isCompactDocument(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > LONGEST_DOCUMENT) return false;
  if ((text[0] !== '{' && text[0] !== '[') || NEVER_KEPT.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
