import { charactersOf } from './characters-of.js';

/** Characters that are written at once: of control characters the JSON is six times as long, and takes 2 ms. */
const PIECE = 64 * 1024;

/** Answers with a longer text are written in pieces. */
const LONG = 512 * 1024;

/** The members of an answer that are records or have them in them. */
const HOLDS_RECORDS = new Set(['expand', 'record']);

/**
 * Whether an answer may take long to write: for one of its own texts, or for the records in it. The rest, such as a JSON
 * field, is not looked into: no small answer is to pay for that.
 */
export function isLong(answer: object): boolean {
  for (const name in answer) {
    const value: unknown = answer[name as never];
    if (typeof value === 'string' ? value.length > LONG : HOLDS_RECORDS.has(name) && charactersOf(value, LONG) > LONG) {
      return true;
    }
  }
  return false;
}

/** What JSON.stringify writes of a value, in pieces of some 64 thousand characters of it. `before` comes first. */
export function* jsonInPieces(value: unknown, before = ''): Generator<string> {
  let text = before;
  for (const part of parts(value)) {
    text += part;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}

function* parts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* partsOfText(value);
  else if (isShort(value)) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* partsOfList(value);
  else yield* partsOfObject(value as object);
}

function isShort(value: unknown): boolean {
  return typeof value !== 'object' || value === null || 'toJSON' in value || charactersOf(value, PIECE) <= PIECE;
}

function* partsOfText(text: string): Generator<string> {
  yield '"';
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + PIECE, text.length);
    // Both halves of a surrogate pair stay together.
    if (to < text.length && text.codePointAt(to - 1)! > 0xffff) to--;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
  }
  yield '"';
}

function* partsOfList(list: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const item of list) {
    yield before;
    yield* parts(item);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

function* partsOfObject(object: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    // As functions and symbols, which no answer has.
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* parts(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
