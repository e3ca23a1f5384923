const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['token', 'code', 'state', 'access_token', 'password']);

/** Signed tokens, and whatever follows the word that introduces credentials. */
const CREDENTIALS = /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*|(?<=\bBearer\s)[^\s"',;]+/gi;

/** A URL in which the values of parameters that hold secrets are `***` (OPS-85). */
export function redactUrl(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const end = url.indexOf('#', start);
  const query = url.slice(start + 1, end < 0 ? undefined : end);
  const parts = query.split('&').map((part) => {
    const equals = part.indexOf('=');
    return equals >= 0 && SECRET_PARAMETERS.has(nameOf(part.slice(0, equals))) ? `${part.slice(0, equals)}=***` : part;
  });
  return url.slice(0, start + 1) + parts.join('&') + (end < 0 ? '' : url.slice(end));
}

/** A text without signed tokens, credentials and the given secrets, wherever in it they stand. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let redacted = text.replace(CREDENTIALS, '***');
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '***');
  return redacted;
}

/** Percent-decoded where that is possible. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** At most so many characters; what is cut ends in `...`. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}

/** Characters that are kept of a text of a request. */
export const MOST_TEXT = 2_000;

/** What is kept of a text, without the rest of it in memory. */
export function keptText(text: string): string {
  return text.length <= MOST_TEXT ? text : detached(shortened(text, MOST_TEXT));
}

/** A text of its own: a part of a text keeps all of it in memory. */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

function nameOf(encoded: string): string {
  return decoded(encoded.replaceAll('+', ' ')).trim().toLowerCase();
}
