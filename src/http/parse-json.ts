import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { isJsonObject, type JsonObject } from '../kernel/json-object.js';
import { MAX_JSON_DEPTH, nestsDeeperThan } from '../kernel/validation/json-depth.js';

const HIGH = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}`;
const LOW = String.raw`\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const HALF_ESCAPED = new RegExp(`${HIGH}(?!${LOW})|(?<!${HIGH})${LOW}`);
const HALF = /\p{Surrogate}/gu;

/** Room for a value that its json field refuses, whatever it is wrapped in, and far from where JSON.stringify gives up. */
const MAX_BODY_DEPTH = 2 * MAX_JSON_DEPTH;

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

/**
 * JSON text as an object; `null` counts as an empty one. Throws 400 for anything else, and for one that is nested too
 * deep to be written as JSON again; `what` names the text in the message.
 */
export function parseJsonObject(text: string, what: string): JsonObject {
  if (nestsDeeperThan(text, MAX_BODY_DEPTH)) throw new BadRequestError(`${what} is nested too deep.`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new BadRequestError(`${what} is not valid JSON.`, {}, { cause });
  }
  if (value === null) return {};
  if (!isJsonObject(value)) throw new BadRequestError(`${what} must be a JSON object.`);
  return value;
}
