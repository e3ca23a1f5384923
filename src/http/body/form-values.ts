import { decimalText } from '../../kernel/decimal-text.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import { inSlices } from '../event-loop/event-loop-turn.js';
import { DEFAULT_JSON_LIMITS } from './body-limit.js';
import { readJsonObject } from './json-body.js';
import type { JsonLimits } from './json-outline.js';
import { countPairs, readPairs } from './url-encoded.js';

/** The part or key that carries the JSON half of a form (BODY-6). */
const JSON_PAYLOAD = '@jsonPayload';

const NUMBER_LIKE = /^[-0-9][-.0-9]*$/;

/** Bytes of an urlencoded form for which nothing is gained by slices. */
const SMALL = 64 * 1024;

/** FS-17. */
export const MAX_FORM_VALUES = 1000;

/** A double has no plain decimal form longer than this, so a longer text need not be converted to be refused. */
const LONGEST_NUMBER = 400;

/**
 * The texts of a form, in the order they arrived, turned into a body: values inferred, repeated keys to lists,
 * `@jsonPayload` laid over the rest.
 */
export class FormValues {
  private readonly values = new Map<string, unknown>();
  private readonly repeated = new Set<string>();
  private readonly payloads: (string | Buffer)[] = [];

  constructor(private readonly limits: JsonLimits = DEFAULT_JSON_LIMITS) {}

  /** Takes the next text, or its bytes. JSON is never made a text as a whole. */
  add(key: string, text: string | Buffer): void {
    if (key === JSON_PAYLOAD) return void this.payloads.push(text);
    const value = inferFormValue(text.toString());
    if (!this.values.has(key)) {
      this.values.set(key, value);
    } else if (this.repeated.has(key)) {
      (this.values.get(key) as unknown[]).push(value);
    } else {
      this.repeated.add(key);
      this.values.set(key, [this.values.get(key), value]);
    }
  }

  /**
   * The body. A key named `__proto__` is a key like any other: properties are defined, never assigned. Throws a
   * BadRequestError when a `@jsonPayload` holds no JSON object, or all of them together more than the limits say.
   */
  toBody(): MaybePromise<Record<string, unknown>> {
    const { limits } = this;
    const payload = new Map<string, unknown>();
    const take = (index: number, left: number): MaybePromise<Record<string, unknown>> => {
      const text = this.payloads[index];
      if (text === undefined) return Object.fromEntries([...this.values, ...payload]);
      const reading = readJsonObject(text, 'The form part @jsonPayload', { ...limits, maxValues: left });
      return andThen(reading, ({ object, values }) => {
        for (const [name, value] of Object.entries(object)) payload.set(name, value);
        return take(index + 1, left - values);
      });
    };
    return take(0, limits.maxValues);
  }
}

/**
 * The body of an urlencoded form. Throws a BadRequestError when it has more values than a multipart form may have
 * (FS-17), and like `FormValues.toBody`.
 */
export function readUrlEncodedForm(bytes: Buffer, limits?: JsonLimits): MaybePromise<Record<string, unknown>> {
  // Counted before parsing: millions of tiny values would take a hundred times the memory of their text.
  if (countPairs(bytes, MAX_FORM_VALUES) > MAX_FORM_VALUES) {
    throw new BadRequestError(`The form has more than ${MAX_FORM_VALUES} values.`);
  }
  const values = new FormValues(limits);
  const reading = readPairs(bytes, (name, value) => values.add(name.toString(), value));
  if (bytes.length > SMALL) return inSlices(reading).then(() => values.toBody());
  while (!reading.next().done);
  return values.toBody();
}

/**
 * What a form text means (BODY-5): `true` and `false` are booleans, a text that is exactly how a number is printed in
 * plain decimal is that number, everything else stays text.
 */
export function inferFormValue(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text.length > LONGEST_NUMBER || !NUMBER_LIKE.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) && decimalText(number) === text ? number : text;
}
