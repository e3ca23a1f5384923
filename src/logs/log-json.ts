/** The JSON of what an entry says. Extensions attach anything; what cannot be written must not hold up the others. */
export function toJson(data: unknown): string {
  const text = written(data);
  return text.includes('\\u0000') || text.includes('\\ud') ? text.replace(ESCAPED, printable) : text;
}

/** As `toJson`, for a text, which may contain anything a client has sent. */
export function toText(text: string): string {
  return text.replaceAll('\0', UNKNOWN).toWellFormed();
}

/** Replaces what not every database can store: U+0000 and halves of surrogate pairs. */
const UNKNOWN = '\ufffd';

/**
 * Escapes in JSON: those that not every database can store, and all others, so that `\\\\u0000` is not taken for one.
 */
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

/** Only for data with a bigint, because a replacer makes writing several times slower. */
function toJsonWithBigInts(data: unknown): string {
  try {
    return JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '{}';
  } catch (error) {
    return JSON.stringify({ unprintable: String(error) });
  }
}
