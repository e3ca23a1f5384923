import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';

const START = '@request.data.';
const REFERENCE = /^@request\.data\.requests\.(\d+)\.body\.id$/;

type Values = Readonly<Record<string, unknown>>;

/**
 * A body with every reference to an earlier item replaced by the id of its record (BAT-16 to BAT-18), at any depth.
 * `ids` are those of the items so far, undefined for a delete. Throws a ValidationError under the top-level key of
 * every reference that names no earlier record.
 */
export function resolveReferences(body: Values, ids: readonly (string | undefined)[]): Values {
  if (Object.values(body).every(refersToNothing)) return body;
  const errors = new Map<string, FieldError>();
  const entries = Object.entries(body).map(([key, value]) => {
    const fail = () => void errors.set(key, fieldError('validation_invalid_batch_reference'));
    return [key, typeof value === 'string' ? resolveText(value, ids, fail) : resolveInside(value, ids, fail)] as const;
  });
  if (errors.size > 0) throw new ValidationError(Object.fromEntries(errors));
  return Object.fromEntries(entries);
}

/** A quick check for values without references: scalars, or lists of them. */
function refersToNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlainScalar);
  return isPlainScalar(value);
}

function isPlainScalar(value: unknown): boolean {
  return typeof value === 'string' ? !value.startsWith(START) : typeof value !== 'object' || value === null;
}

/** Goes through a value without recursion: JSON may be nested deeper than the stack is. */
function resolveInside(value: unknown, ids: readonly (string | undefined)[], fail: () => void): unknown {
  const root = copy(value);
  const open = [root];
  for (let container = open.pop(); typeof container === 'object' && container !== null; container = open.pop()) {
    for (const [key, child] of Array.isArray(container) ? container.entries() : Object.entries(container)) {
      const next = typeof child === 'string' ? resolveText(child, ids, fail) : copy(child);
      if (next === child) continue;
      if (Array.isArray(container)) container[key as number] = next;
      else define(container, key as string, next);
      if (typeof next === 'object') open.push(next);
    }
  }
  return root;
}

/** The value itself when nothing can be inside it. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [...(value as unknown[])] : { ...value };
}

function resolveText(text: string, ids: readonly (string | undefined)[], fail: () => void): string {
  const match = REFERENCE.exec(text);
  if (!match) return text;
  const id = ids[Number(match[1])];
  if (id === undefined) fail();
  return id ?? text;
}

/** Defines the key, because assigning to `__proto__` would set the prototype. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
