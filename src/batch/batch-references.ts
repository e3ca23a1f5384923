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

/** A quick check for values without references: scalars, and lists and objects of them. */
function refersToNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isPlainScalar(value);
  if (Array.isArray(value)) return value.every(isPlainScalar);
  // Makes no list of the keys: a body may have a million objects.
  for (const key in value) if (!isPlainScalar((value as Values)[key])) return false;
  return true;
}

function isPlainScalar(value: unknown): boolean {
  return typeof value === 'string' ? !value.startsWith(START) : typeof value !== 'object' || value === null;
}

type Container = Record<string | number, unknown>;

/** A list or an object that is gone through. */
interface Level {
  readonly source: Container;
  /** Its keys; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  /** Where it stands in the level above. */
  readonly place: string | number;
  next: number;
  /** What takes its place, once it is known to have a reference inside. */
  copy?: Container;
}

/**
 * A value with its references replaced; of what has none inside nothing is copied. Goes through it without recursion:
 * JSON may be nested deeper than the stack is.
 */
function resolveInside(value: unknown, ids: readonly (string | undefined)[], fail: () => void): unknown {
  if (refersToNothing(value)) return value;
  const root = levelOf(value as Container, '');
  const levels = [root];
  for (let level = root; ; level = levels.at(-1)!) {
    const { source, keys } = level;
    if (level.next === (keys ?? (source as unknown as unknown[])).length) {
      levels.pop();
      if (level === root) return root.copy ?? value;
      continue;
    }
    const place = keys ? keys[level.next]! : level.next;
    level.next++;
    const child = source[place];
    if (typeof child === 'string') {
      const text = resolveText(child, ids, fail);
      if (text !== child) define(copyOfLast(levels), place, text);
    } else if (!refersToNothing(child)) levels.push(levelOf(child as Container, place));
  }
}

function levelOf(source: Container, place: string | number): Level {
  return { source, keys: Array.isArray(source) ? undefined : Object.keys(source), place, next: 0 };
}

/** The copy of the innermost level, inside those of the levels around it. */
function copyOfLast(levels: readonly Level[]): Container {
  let first = levels.length;
  while (first > 0 && !levels[first - 1]!.copy) first--;
  for (let index = first; index < levels.length; index++) {
    const level = levels[index]!;
    level.copy = (Array.isArray(level.source) ? [...level.source] : { ...level.source }) as Container;
    if (index > 0) define(levels[index - 1]!.copy!, level.place, level.copy);
  }
  return levels.at(-1)!.copy!;
}

function resolveText(text: string, ids: readonly (string | undefined)[], fail: () => void): string {
  const match = REFERENCE.exec(text);
  if (!match) return text;
  const id = ids[Number(match[1])];
  if (id === undefined) fail();
  return id ?? text;
}

/** Defines the key, because assigning to `__proto__` would set the prototype. */
function define(target: object, key: string | number, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
