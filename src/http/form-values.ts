import { decimalText } from '../kernel/decimal-text.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { parseJsonObject } from './parse-json.js';

/** The part or key that carries the JSON half of a form (BODY-6). */
const JSON_PAYLOAD = '@jsonPayload';

const NUMBER_LIKE = /^[-0-9][-.0-9]*$/;

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
  private readonly payload = new Map<string, unknown>();

  /** Takes the next text. Throws a BadRequestError when it is a `@jsonPayload` that holds no JSON object. */
  add(key: string, text: string): void {
    if (key === JSON_PAYLOAD) {
      for (const [name, value] of Object.entries(parseJsonObject(text, 'The form part @jsonPayload')))
        this.payload.set(name, value);
      return;
    }
    const value = inferFormValue(text);
    if (!this.values.has(key)) {
      this.values.set(key, value);
    } else if (this.repeated.has(key)) {
      (this.values.get(key) as unknown[]).push(value);
    } else {
      this.repeated.add(key);
      this.values.set(key, [this.values.get(key), value]);
    }
  }

  /** The body. A key named `__proto__` is a key like any other: properties are defined, never assigned. */
  toBody(): Record<string, unknown> {
    return Object.fromEntries([...this.values, ...this.payload]);
  }
}

/**
 * The body of an urlencoded form. Throws a BadRequestError when it has more values than a multipart form may have
 * (FS-17), and like `FormValues.add`.
 */
export function readUrlEncodedForm(text: string): Record<string, unknown> {
  requireFewValues(text);
  const values = new FormValues();
  for (const [key, value] of new URLSearchParams(text)) values.add(key, value);
  return values.toBody();
}

/** Counted before anything is taken apart: millions of tiny values would take a hundred times their own memory. */
function requireFewValues(text: string): void {
  let count = 1;
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', index + 1)) {
    if (++count > MAX_FORM_VALUES) throw new BadRequestError(`The form has more than ${MAX_FORM_VALUES} values.`);
  }
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
