import { BadRequestError } from '../errors/bad-request.error.js';
import { isJsonObject } from '../json-object.js';
import { ExcerptReading, makeExcerpt, type Excerpt } from './excerpt.js';

const MAX_LEVELS = 100;
/** Keys that are looked up in each object; of more, those are that it has. */
const FEW_KEYS = 20;
const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** What to keep of an object. Made once per request by `parseFields`, then used for every item of the answer. */
export interface FieldPicker {
  readonly keys: ReadonlyMap<string, FieldChoice>;
  /** What `*` says about keys that are not in `keys`. Without it they are left out. */
  readonly others?: FieldChoice;
  /** The limit of all excerpts in one answer; a picker that is used again has to renew it. */
  readonly reading?: ExcerptReading;
}

/** What to keep of one value. */
export interface FieldChoice {
  /** Its place among the keys of its picker. */
  readonly place: number;
  readonly below?: FieldPicker;
  readonly excerpt?: Excerpt;
}

/** A FieldChoice while paths are being added. */
interface MutableFieldChoice {
  readonly place: number;
  below?: { readonly keys: Map<string, MutableFieldChoice>; others?: MutableFieldChoice };
  excerpt?: Excerpt;
}

/**
 * The picker for a `fields` parameter, undefined when it names nothing and everything is kept. Throws a
 * BadRequestError for unknown modifiers, wrong arguments and unbalanced parentheses (FLD-6).
 */
export function parseFields(text: string): FieldPicker | undefined {
  const root: MutableFieldChoice = { place: 0 };
  for (const part of splitPaths(text)) {
    const colon = part.indexOf(':');
    const path = (colon === -1 ? part : part.slice(0, colon)).trim();
    const excerpt = colon === -1 ? undefined : parseModifier(part.slice(colon + 1).trim());
    const names = path.split('.');
    if (names.length > MAX_LEVELS)
      throw new BadRequestError(`Invalid fields: a path has more than ${MAX_LEVELS} levels.`);
    let choice = root;
    for (const name of names) choice = choiceBelow(choice, name);
    choice.excerpt = excerpt;
  }
  return root.below && { ...root.below, reading: new ExcerptReading() };
}

/**
 * A whole answer with only the picked fields: applied to each item of a list envelope, to each element of an array,
 * else to the object (FLD-1). Expects plain JSON values and leaves them unchanged.
 */
export function pickFields(picker: FieldPicker | undefined, answer: unknown): unknown {
  if (!picker) return answer;
  const { reading } = picker;
  if (Array.isArray(answer)) return answer.map((element) => pickElement(picker, element, reading));
  if (!isJsonObject(answer)) return answer;
  if (!isListPage(answer)) return pickObject(picker, answer, reading);
  return { ...answer, items: answer.items.map((item) => pickElement(picker, item, reading)) };
}

/** One object, such as a record, with only the picked fields. The object itself stays unchanged. */
function pickObject(
  picker: FieldPicker,
  object: Readonly<Record<string, unknown>>,
  reading: ExcerptReading | undefined,
): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  if (picker.others) {
    for (const key of Object.keys(object))
      setOwn(picked, key, pick(picker.keys.get(key) ?? picker.others, object[key], reading));
  } else {
    const choices = picker.keys.size > FEW_KEYS ? choicesFor(picker.keys, object) : picker.keys;
    for (const [key, choice] of choices) {
      if (Object.hasOwn(object, key)) setOwn(picked, key, pick(choice, object[key], reading));
    }
  }
  return picked;
}

/**
 * Those of many keys that an object has, in their order: it may be one of a hundred thousand with a key each, of which
 * none should be asked for thousands (OPS-39).
 */
function choicesFor(
  keys: ReadonlyMap<string, FieldChoice>,
  object: Readonly<Record<string, unknown>>,
): readonly (readonly [string, FieldChoice])[] {
  return Object.keys(object)
    .filter((name) => keys.has(name))
    .map((name) => [name, keys.get(name)!] as const)
    .sort(([, one], [, other]) => one.place - other.place);
}

function pick({ below, excerpt }: FieldChoice, value: unknown, reading: ExcerptReading | undefined): unknown {
  if (typeof value === 'string') return excerpt ? makeExcerpt(value, excerpt, reading) : value;
  if (!below) return value;
  if (Array.isArray(value))
    return isJsonObject(value[0]) ? value.map((element) => pickElement(below, element, reading)) : value;
  return pickElement(below, value, reading);
}

function pickElement(picker: FieldPicker, element: unknown, reading: ExcerptReading | undefined): unknown {
  return isJsonObject(element) ? pickObject(picker, element, reading) : element;
}

/** Defines the key, because assigning to `__proto__` would set the prototype. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

/** A record always has other keys, so it is never taken for a list. */
function isListPage(
  answer: Record<string, unknown>,
): answer is Record<string, unknown> & { items: readonly unknown[] } {
  return (
    Array.isArray(answer.items) &&
    ['page', 'perPage', 'totalItems', 'totalPages'].every((key) => typeof answer[key] === 'number') &&
    Object.keys(answer).length === 5
  );
}

/** Cuts at the commas outside parentheses. Empty paths are left out. */
function splitPaths(text: string): string[] {
  const paths: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const char = text.charAt(index);
    if (char === '(') depth++;
    if (char === ')' && --depth < 0) break;
    if (char === '' || (char === ',' && depth === 0)) {
      paths.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  if (depth !== 0) throw new BadRequestError('Invalid fields: unbalanced parentheses.');
  return paths.filter((path) => path !== '');
}

function choiceBelow(choice: MutableFieldChoice, name: string): MutableFieldChoice {
  choice.below ??= { keys: new Map() };
  if (name === '*') return (choice.below.others ??= { place: 0 });
  let next = choice.below.keys.get(name);
  if (!next) choice.below.keys.set(name, (next = { place: choice.below.keys.size }));
  return next;
}

function parseModifier(text: string): Excerpt {
  const [, name, args] = /^([^()]*)(?:\(([^()]*)\))?$/.exec(text) ?? [];
  if (name?.trim() !== 'excerpt') throw new BadRequestError('Invalid fields: unknown modifier.');
  const [max, withEllipsis = '', ...rest] = (args ?? '').split(',').map((argument) => argument.trim());
  if (!/^[0-9]+$/.test(max) || Number(max) === 0 || rest.length > 0) {
    throw new BadRequestError('Invalid fields: excerpt takes a length above 0 and a boolean.');
  }
  return { max: Number(max), withEllipsis: TRUE_WORDS.has(withEllipsis) };
}
