import { isAscii } from 'node:buffer';
import { inSlices } from '../event-loop/event-loop-turn.js';
import { parseJson } from './parse-json.js';
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.js';
import { type JsonLimits, JsonOutline } from './json-outline.js';

/** Bytes that are parsed at once, and how long a value may be that is parsed in one piece with its neighbours. */
const PIECE = 32 * 1024;

const LETTER_U = 0x75;

/** A value, and how many it is made of. */
export interface JsonReading {
  readonly value: unknown;
  readonly values: number;
}

/**
 * The value of a JSON text of any size, as `parseJson` has it, read in slices that let others in (OPS-39). It is gone
 * through once before anything is built of it: throws a JsonLimitError when it has too many values, levels or keys, and a
 * SyntaxError when it is not JSON.
 */
export function readJson(bytes: Buffer, limits: JsonLimits): Promise<JsonReading> {
  return inSlices(read(bytes, limits));
}

function* read(bytes: Buffer, limits: JsonLimits): Generator<void, JsonReading> {
  const outline = new JsonOutline(bytes, { ...limits, longValue: PIECE });
  yield* outline.scan();
  const { start, end } = outline.root;
  const isContainer = bytes[start] === OPEN_LIST || bytes[start] === OPEN_OBJECT;
  const value =
    isContainer && outline.long.has(start)
      ? yield* new JsonBuilder(bytes, outline.long).build(start)
      : parseJson(bytes.toString('utf8', start, end));
  return { value, values: outline.values };
}

/** A list or an object that is being filled. */
interface Frame {
  readonly container: unknown[] | Record<string, unknown>;
  /** The key under which it goes into its parent, if that is an object. */
  readonly key: string | undefined;
  /** Where what is not yet parsed begins. */
  from: number;
  /** The last comma between its values. */
  comma: number;
  /** Nothing but a comma or its end may follow: a long value has just ended. */
  isAfterLong: boolean;
  /** A comma was the last that was parsed: a value has to follow. */
  isAfterComma: boolean;
}

/**
 * Builds the value of a text whose brackets match. Long lists and objects are opened, and what is in them is parsed by
 * JSON.parse in runs of neighbours, which also finds what is wrong with them.
 */
class JsonBuilder {
  private readonly frames: Frame[] = [];

  constructor(
    private readonly bytes: Buffer,
    /** The ends of long values by where they begin. */
    private readonly long: ReadonlyMap<number, number>,
  ) {}

  /** The value that begins there, which is a long list or object. */
  *build(start: number): Generator<void, unknown> {
    const { bytes, long } = this;
    let frame = this.open(start, undefined);
    for (let at = start + 1, depth = 0; ; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        const end = long.get(at);
        if (end === undefined) at = endOfString(bytes, at) - 1;
        else {
          if (!this.isKey(frame, at)) {
            const key = this.keyBefore(frame, at);
            put(frame.container, key, yield* readString(bytes, at + 1, end - 1));
            this.leaveLong(frame, end);
          }
          at = end - 1;
        }
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (long.has(at)) frame = this.open(at, this.keyBefore(frame, at));
        else depth++;
      } else if (depth > 0) {
        if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
      } else if (byte === COMMA) {
        frame.comma = at;
        if (at - frame.from < PIECE && !frame.isAfterLong) continue;
        this.parseUpTo(frame, at);
        frame.isAfterComma = true;
        yield;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        this.parseUpTo(frame, at);
        if (frame.isAfterComma) throw new SyntaxError('A value is missing.');
        this.frames.pop();
        const parent = this.frames.at(-1);
        if (!parent) return frame.container;
        put(parent.container, frame.key, frame.container);
        this.leaveLong(parent, at + 1);
        frame = parent;
        yield;
      }
    }
  }

  private open(start: number, key: string | undefined): Frame {
    const container = this.bytes[start] === OPEN_LIST ? [] : {};
    const frame = { container, key, from: start + 1, comma: -1, isAfterLong: false, isAfterComma: false };
    this.frames.push(frame);
    return frame;
  }

  private leaveLong(frame: Frame, end: number): void {
    frame.from = end;
    frame.isAfterLong = true;
    frame.isAfterComma = false;
  }

  /** Parses the values before a comma or the end of their container. */
  private parseUpTo(frame: Frame, end: number): void {
    const text = this.textOf(frame.from, end);
    frame.from = end + 1;
    if (frame.isAfterLong) {
      if (text.trim() !== '') throw new SyntaxError('A comma is missing.');
      frame.isAfterLong = false;
      return;
    }
    const { container } = frame;
    let isEmpty = true;
    if (Array.isArray(container)) {
      for (const value of parseJson(`[${text}]`) as unknown[]) {
        isEmpty = false;
        container.push(value);
      }
    } else {
      for (const [key, value] of Object.entries(parseJson(`{${text}}`) as object)) {
        isEmpty = false;
        put(container, key, value);
      }
    }
    if (!isEmpty) frame.isAfterComma = false;
    else if (this.bytes[end] === COMMA) throw new SyntaxError('A value is missing.');
  }

  /** A long text is a key when nothing stands between it and the comma before. */
  private isKey(frame: Frame, at: number): boolean {
    if (Array.isArray(frame.container)) return false;
    return !frame.isAfterLong && this.textOf(Math.max(frame.from, frame.comma + 1), at).trim() === '';
  }

  /** Parses what stands before a long value; its key, of an object. */
  private keyBefore(frame: Frame, at: number): string | undefined {
    if (frame.comma >= frame.from) {
      this.parseUpTo(frame, frame.comma);
      frame.isAfterComma = true;
    }
    if (frame.isAfterLong) throw new SyntaxError('A comma is missing.');
    const text = this.textOf(frame.from, at);
    if (Array.isArray(frame.container)) {
      if (text.trim() !== '') throw new SyntaxError('A comma is missing.');
      return undefined;
    }
    const keys = Object.keys(parseJson(`{${text}null}`) as object);
    if (keys.length !== 1) throw new SyntaxError('A key is missing.');
    return keys[0];
  }

  private textOf(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }
}

/** Data may have a key `__proto__`; assigning to it would not make one. */
function put(container: unknown[] | Record<string, unknown>, key: string | undefined, value: unknown): void {
  if (Array.isArray(container)) container.push(value);
  else if (key === '__proto__')
    Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
  else container[key!] = value;
}

/** Behind the closing quote of a text that has one. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/**
 * The text between two quotes, read in pieces that cut through no character and no escape. They are put together in a
 * Buffer, of which Node makes a long string outside of V8's heap: its memory is given back early, while in the heap the
 * texts of one body after another would stay until its next large collection.
 */
function* readString(bytes: Buffer, start: number, end: number): Generator<void, string> {
  const raw = bytes.subarray(start, end);
  const encoding = isAscii(raw) && !raw.includes('\\u') ? 'latin1' : 'utf16le';
  const text = Buffer.allocUnsafeSlow((end - start) * (encoding === 'latin1' ? 1 : 2));
  let length = 0;
  let from = start;
  const add = (until: number) => {
    const piece = JSON.parse(`"${bytes.toString('utf8', from, until)}"`) as string;
    length += text.write(piece, length, encoding);
    from = until;
  };
  for (let at = start; at < end;) {
    const byte = bytes[at]!;
    if (at - from >= PIECE && (byte & 0xc0) !== 0x80) {
      add(at);
      yield;
    }
    at += byte !== BACKSLASH ? 1 : bytes[at + 1] === LETTER_U ? 6 : 2;
  }
  add(end);
  const whole = text.toString(encoding, 0, length);
  // Escapes can name half a character, whose other half may stand in the next piece.
  return encoding === 'latin1' ? whole : whole.toWellFormed();
}
