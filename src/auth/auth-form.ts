import type { RequestBody } from '../http/request-body.js';
import { decimalText } from '../kernel/decimal-text.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { Caller } from '../kernel/records/caller.js';
import { email, length, required } from '../kernel/validation/rules.js';
import { byteLength } from '../kernel/validation/text-length.js';
import { type Check, isFine, type Shape, validateObject } from '../kernel/validation/validate-object.js';

/** What a key of a form holds. */
type Kind = 'text' | 'integer' | 'object';

interface Values {
  readonly text: string;
  readonly integer: number;
  readonly object: Readonly<Record<string, unknown>>;
}

const ABSENT: Values = { text: '', integer: 0, object: {} };

/**
 * Reads the known keys of a body; missing and null ones are '', 0 or {}. Throws 400 without data when a value has
 * another JSON type (AUTH-102).
 */
export function readForm<Kinds extends Readonly<Record<string, Kind>>>(
  body: RequestBody,
  caller: Caller,
  kinds: Kinds,
): { readonly [Key in keyof Kinds]: Values[Kinds[Key]] } {
  const isForm = !(caller.request.headers['content_type'] ?? '').trim().toLowerCase().startsWith('application/json');
  const entries = Object.entries(kinds).map(([key, kind]) => {
    const raw = Object.hasOwn(body.values, key) ? body.values[key] : undefined;
    // A form has texts only; what looked like a number or a boolean in one is turned back.
    const value = isForm && kind === 'text' ? textOf(raw) : raw;
    return [key, value ?? ABSENT[kind]] as const;
  });
  for (const [key, value] of entries) {
    if (!isKind(value, kinds[key]!)) throw new BadRequestError(`"${key}" has the wrong type.`);
  }
  return Object.fromEntries(entries) as { readonly [Key in keyof Kinds]: Values[Kinds[Key]] };
}

/** The caller of a sign-in whose rules see what was sent (AUTH-702). */
export function senderOf(body: RequestBody, caller: Caller): Caller {
  return caller.withRequest({ body: body.values });
}

/** Throws a ValidationError when a form does not have this shape. */
export function requireShape(form: object, shape: Shape): void {
  const errors = validateObject(form, shape);
  if (!isFine(errors)) throw new ValidationError(errors);
}

/** A text that must be there, of at most this many bytes (AUTH-103). */
export function requiredText(max: number): readonly Check[] {
  return [required, length(1, max, byteLength)];
}

/** The `email` of a form that asks for nothing else (AUTH-831, AUTH-1101). */
export function readEmail(body: RequestBody, caller: Caller): string {
  const form = readForm(body, caller, { email: 'text' });
  requireShape(form, { email: [...requiredText(255), email] });
  return form.email;
}

function textOf(raw: unknown): unknown {
  if (typeof raw === 'number') return decimalText(raw);
  return typeof raw === 'boolean' ? String(raw) : raw;
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'integer') return Number.isSafeInteger(value);
  return typeof value === 'object' && !Array.isArray(value);
}
