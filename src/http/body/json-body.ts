import { fieldError } from '../../kernel/errors/error-codes.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { isJsonObject, type JsonObject } from '../../kernel/json-object.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import { isTooComplex } from '../../kernel/validation/json-complexity.js';
import { JsonLimitError, type JsonLimits } from './json-outline.js';
import { readJson } from './json-reader.js';
import { parseJson } from './parse-json.js';

/** Up to this length, in bytes or characters, nothing is gained by slices, and values need no counting. */
const SMALL = 64 * 1024;

/** An object that was sent as JSON, and how many values it may be made of at most. */
export interface JsonBody {
  readonly object: JsonObject;
  readonly values: number;
}

/**
 * JSON text as an object; `null` counts as an empty one. Throws 400 for anything else, and for what has more values,
 * levels or keys than the limits say, before anything is built of it; `what` names the text in the message. A long text
 * is read in slices that let others in.
 */
export function readJsonObject(text: string | Buffer, what: string, limits: JsonLimits): MaybePromise<JsonBody> {
  const isSmall = text.length <= Math.min(SMALL, limits.maxValues);
  const small = isSmall ? text.toString() : undefined;
  if (small === undefined || isTooComplex(small, limits.maxLevels)) return readLarge(text, what, limits);
  try {
    return { object: toObject(parseJson(small), what), values: small.length };
  } catch (error) {
    throw refusal(error, what);
  }
}

async function readLarge(text: string | Buffer, what: string, limits: JsonLimits): Promise<JsonBody> {
  try {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const { value, values } = await readJson(bytes, limits);
    return { object: toObject(value, what), values };
  } catch (error) {
    throw refusal(error, what, limits);
  }
}

function toObject(value: unknown, what: string): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value)) throw new BadRequestError(`${what} must be a JSON object.`);
  return value;
}

function refusal(error: unknown, what: string, limits?: JsonLimits): unknown {
  if (error instanceof JsonLimitError) {
    if (error.limit === 'values') return new BadRequestError(`${what} has more than ${limits?.maxValues} values.`);
    const data = error.key === undefined ? {} : { [error.key]: fieldError('validation_invalid_json') };
    const flaw = error.limit === 'levels' ? 'is nested too deep' : `has an object of more than ${limits?.maxKeys} keys`;
    return new BadRequestError(`${what} ${flaw}.`, data);
  }
  return error instanceof SyntaxError ? new BadRequestError(`${what} is not valid JSON.`, {}, { cause: error }) : error;
}
