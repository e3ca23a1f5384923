const HIGH = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}`;
const LOW = String.raw`\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const HALF_ESCAPED = new RegExp(`${HIGH}(?!${LOW})|(?<!${HIGH})${LOW}`);
const HALF = /\p{Surrogate}/gu;

/**
 * The value of a JSON text that a client sent. Escapes can name half a character, which no database stores as it is:
 * each becomes U+FFFD, as bytes that are no UTF-8 do. Throws a SyntaxError when it is not JSON.
 */
export function parseJson(text: string): unknown {
  if (!text.includes('\\u') || !HALF_ESCAPED.test(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' ? value.replace(HALF, '\ufffd') : value,
  ) as unknown;
}
