import { MAX_JSON_NESTING } from '../../kernel/validation/json-complexity.js';
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.js';

/** White space has no larger byte. */
const BLANK = 0x20;

/** No number has so many digits that mean anything; one of millions could not be left while it is parsed. */
const LONGEST_LITERAL = 64 * 1024;

/** Bytes between two places where the work can be left. */
const STEP = 64 * 1024;

/** How much a JSON text may hold (OPS-34a). */
export interface JsonLimits {
  /** Texts, numbers, lists, objects and the rest, at any depth; keys do not count. */
  readonly maxValues: number;
  /** How deep lists and objects may stand in each other. */
  readonly maxLevels: number;
  /** How many keys one object may have: to list those of a large one cannot be left in between. */
  readonly maxKeys: number;
  /** Keys of the outermost object that have a meaning: what is too deep or too large is told by one of these. */
  readonly keys?: ReadonlySet<string>;
}

/** A JSON text that holds more than it may; `key` is that of the outermost object in which it does. */
export class JsonLimitError extends Error {
  constructor(
    readonly limit: 'values' | 'levels' | 'keys',
    readonly key?: string,
  ) {
    super(`Too many ${limit}.`);
  }
}

/**
 * What can be seen of a JSON text without building anything: how many values it has, how deep they stand in each other,
 * and where the long ones are. Takes time in proportion to its length. Whether it is JSON in all else is not looked at.
 */
export class JsonOutline {
  /** The ends of values longer than `longValue` by where they begin. */
  readonly long = new Map<number, number>();
  private commas = 0;
  private filled = 0;
  private depth = 0;
  private nesting = 0;
  private readonly starts: number[] = [];
  /** How many commas each open list or object has had. */
  private readonly separators: number[] = [];
  private key: readonly [start: number, end: number] | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: JsonLimits & { readonly longValue: number },
  ) {}

  /** Where the text begins and ends without the white space around it. */
  get root(): { readonly start: number; readonly end: number } {
    let [start, end] = [0, this.bytes.length];
    while (start < end && isBlank(this.bytes[start]!)) start++;
    while (end > start && isBlank(this.bytes[end - 1]!)) end--;
    return { start, end };
  }

  /** How many values the text has. Known when all of it was scanned. */
  get values(): number {
    return 1 + this.commas + this.filled;
  }

  /**
   * Throws a JsonLimitError, or a SyntaxError when brackets or quotes do not match, or more than one value is there.
   */
  *scan(): Generator<void, void> {
    const { bytes } = this;
    const { start, end } = this.root;
    // What the last byte was that is no white space: a container that ends behind its own bracket is empty.
    let last = 0;
    // How many bytes of a number, or of a word such as `true`, were seen.
    let literal = 0;
    for (let at = start, rest = at + STEP; at < end; at++) {
      if (at >= rest) {
        this.checkValues();
        rest = at + STEP;
        yield;
      }
      const byte = bytes[at]!;
      if (byte <= BLANK) continue;
      if (byte === QUOTE) {
        const from = at;
        for (at++; bytes[at] !== QUOTE; at += bytes[at] === BACKSLASH ? 2 : 1) {
          if (at >= end) throw new SyntaxError('A quote is missing.');
          if (at >= rest) {
            rest = at + STEP;
            yield;
          }
        }
        if (at + 1 - from > this.limits.longValue) this.long.set(from, at + 1);
        if (this.depth === 1 && last !== COLON) this.key = [from, at + 1];
      } else if (byte === COMMA) {
        this.commas++;
        if (this.depth > 0) this.countSeparator();
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (this.depth === this.limits.maxLevels) throw new JsonLimitError('levels', this.outermostKey());
        this.separators[this.depth] = 0;
        this.starts[this.depth++] = at;
        this.nesting += this.depth;
        if (this.nesting > MAX_JSON_NESTING) throw new JsonLimitError('levels', this.outermostKey());
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        const opened = byte === CLOSE_LIST ? OPEN_LIST : OPEN_OBJECT;
        const from = this.depth === 0 ? -1 : this.starts[--this.depth]!;
        if (from < 0 || bytes[from] !== opened) throw new SyntaxError('Brackets do not match.');
        if (last !== opened) this.filled++;
        if (at + 1 - from > this.limits.longValue) this.long.set(from, at + 1);
        if (this.depth === 0 && at + 1 < end) throw new SyntaxError('Something follows the end.');
      } else if (byte !== COLON) {
        if (++literal > LONGEST_LITERAL) throw new SyntaxError('A number is too long.');
        last = byte;
        continue;
      }
      literal = 0;
      last = byte;
    }
    if (this.depth > 0) throw new SyntaxError('A bracket is missing.');
    this.checkValues();
  }

  private checkValues(): void {
    if (this.values > this.limits.maxValues) throw new JsonLimitError('values');
  }

  private countSeparator(): void {
    const inner = this.depth - 1;
    const keys = 1 + ++this.separators[inner]!;
    if (keys <= this.limits.maxKeys || this.bytes[this.starts[inner]!] !== OPEN_OBJECT) return;
    throw new JsonLimitError('keys', inner === 0 ? undefined : this.outermostKey());
  }

  private outermostKey(): string | undefined {
    if (!this.key || this.bytes[this.starts[0]!] !== OPEN_OBJECT) return undefined;
    try {
      const key = String(JSON.parse(this.bytes.toString('utf8', ...this.key)));
      return this.limits.keys?.has(key) ? key : undefined;
    } catch {
      return undefined;
    }
  }
}

function isBlank(byte: number): boolean {
  return byte === BLANK || (byte >= 0x09 && byte <= 0x0d && byte !== 0x0b && byte !== 0x0c);
}
