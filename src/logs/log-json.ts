/** The JSON of what an entry says. Extensions attach anything; what cannot be written must not hold up the others. */
export function toJson(data: unknown): string {
  const text = written(data);
  return text.includes('\\u0000') || text.includes('\\ud') ? text.replace(ESCAPED, printable) : text;
}

/** As `toJson`, for a text: of what clients send anything may come to stand in it. */
export function toText(text: string): string {
  return text.replaceAll('\0', UNKNOWN).toWellFormed();
}

/** Stands for what is no character that every database takes: U+0000, and halves of characters. */
const UNKNOWN = '\ufffd';

/** What is escaped in JSON: those that no database need take, and all others, so that `\\\\u0000` is not taken for one. */
const ESCAPED = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g;

function printable(escaped: string, code: string | undefined): string {
  return code === undefined ? escaped : UNKNOWN;
}

function written(data: unknown): string {
  try {
    return JSON.stringify(data) ?? '{}';
  } catch {
    return toJsonWithBigInts(data);
  }
}

/** A replacer costs several times as much as what it is applied to, so it comes in only where it is needed. */
function toJsonWithBigInts(data: unknown): string {
  try {
    return JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '{}';
  } catch (error) {
    return JSON.stringify({ unprintable: String(error) });
  }
}
