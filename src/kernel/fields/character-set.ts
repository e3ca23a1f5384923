import { randomBelow } from '../ids.js';

/** From the first code point to the last one, both included. */
type Range = readonly [first: number, last: number];

const PRINTABLE_ASCII: Range = [0x20, 0x7e];
const DIGITS: Range = [0x30, 0x39];
const UPPER: Range = [0x41, 0x5a];
const LOWER: Range = [0x61, 0x7a];
const UNDERSCORE: Range = [0x5f, 0x5f];
const SPACES: readonly Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

/** An immutable set of characters, as a class such as `[a-z_]` describes it, for generating texts. */
export class CharacterSet {
  static readonly EMPTY = new CharacterSet([]);
  static readonly ALPHANUMERIC = new CharacterSet([DIGITS, UPPER, LOWER]);

  private readonly size: number;

  private constructor(private readonly ranges: readonly Range[]) {
    this.size = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  static of(character: string): CharacterSet {
    const code = character.codePointAt(0)!;
    return CharacterSet.range(code, code);
  }

  /** The code points from the first to the last, without the surrogates, which are no characters. */
  static range(first: number, last: number): CharacterSet {
    const ranges: Range[] = [
      [first, Math.min(last, 0xd7ff)],
      [Math.max(first, 0xe000), last],
    ];
    return new CharacterSet(last < 0xd800 ? [[first, last]] : ranges.filter(([from, to]) => from <= to));
  }

  /** What `\d`, `\w`, `\s` and their negations stand for, by their letter. */
  static escape(letter: string): CharacterSet {
    const set = ESCAPES[letter.toLowerCase()]!;
    return letter === letter.toLowerCase() ? set : set.complement();
  }

  /** What `[:alpha:]` and its like stand for, by their name; undefined when there is no such class. */
  static posix(name: string): CharacterSet | undefined {
    return Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** The code point of a set of one. */
  get single(): number | undefined {
    return this.size === 1 ? this.ranges[0]![0] : undefined;
  }

  with(other: CharacterSet): CharacterSet {
    return new CharacterSet([...this.ranges, ...other.ranges]);
  }

  /** The complement within printable ASCII: all of Unicode would fill ids with unreadable characters. */
  complement(): CharacterSet {
    const ranges: Range[] = [];
    for (let code = PRINTABLE_ASCII[0]; code <= PRINTABLE_ASCII[1]; code++) {
      if (!this.has(code)) ranges.push([code, code]);
    }
    return new CharacterSet(ranges);
  }

  /** One of the characters, each as likely as the others as long as no range of the set overlaps another. */
  pick(): string {
    let index = randomBelow(this.size);
    for (const [first, last] of this.ranges) {
      if (index <= last - first) return String.fromCodePoint(first + index);
      index -= last - first + 1;
    }
    throw new RangeError('An empty set has nothing to pick.');
  }

  private has(code: number): boolean {
    return this.ranges.some(([first, last]) => code >= first && code <= last);
  }
}

const ESCAPES: Readonly<Record<string, CharacterSet>> = {
  d: CharacterSet.range(...DIGITS),
  w: CharacterSet.ALPHANUMERIC.with(CharacterSet.range(...UNDERSCORE)),
  s: SPACES.reduce((set, range) => set.with(CharacterSet.range(...range)), CharacterSet.EMPTY),
};

const POSIX: Readonly<Record<string, CharacterSet>> = {
  alnum: CharacterSet.ALPHANUMERIC,
  alpha: CharacterSet.range(...UPPER).with(CharacterSet.range(...LOWER)),
  digit: CharacterSet.range(...DIGITS),
  lower: CharacterSet.range(...LOWER),
  upper: CharacterSet.range(...UPPER),
  punct: CharacterSet.ALPHANUMERIC.with(CharacterSet.of(' ')).complement(),
  space: ESCAPES['s']!,
  word: ESCAPES['w']!,
  xdigit: CharacterSet.range(...DIGITS)
    .with(CharacterSet.range(0x41, 0x46))
    .with(CharacterSet.range(0x61, 0x66)),
};
