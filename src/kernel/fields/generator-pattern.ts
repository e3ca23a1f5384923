import { randomBelow } from '../ids.js';
import { CharacterSet } from './character-set.js';

/** A part of a pattern, as what it produces. */
type Part =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number };

/** Repeats without a maximum end here, or at their minimum. */
const UNBOUNDED_REPEATS = 6;
/** Longest generated text; nested repeats grow quickly. */
const MAX_LENGTH = 100_000;

/**
 * A regular expression read as instructions to make up texts (COL-61). It has to be a valid expression already: here
 * only the operators that produce text are understood, and reading throws a RangeError at any other one.
 */
export class GeneratorPattern {
  private constructor(private readonly root: Part) {}

  static parse(pattern: string): GeneratorPattern {
    const root = new GeneratorPatternParser(pattern).parse();
    if (longest(root) > MAX_LENGTH) throw new RangeError('The texts would be too long.');
    return new GeneratorPattern(root);
  }

  /** A random text in the form of the pattern, from a cryptographic source. */
  generate(): string {
    return generate(this.root);
  }
}

function generate(part: Part): string {
  switch (part.kind) {
    case 'character':
      return part.set.pick();
    case 'sequence':
      return part.parts.map(generate).join('');
    case 'choice':
      return generate(part.parts[randomBelow(part.parts.length)]!);
    case 'repeat': {
      let text = '';
      const times = part.min + randomBelow(part.max - part.min + 1);
      for (let left = times; left > 0; left--) text += generate(part.part);
      return text;
    }
  }
}

function longest(part: Part): number {
  switch (part.kind) {
    case 'character':
      return 1;
    case 'sequence':
      return part.parts.reduce((sum, each) => sum + longest(each), 0);
    case 'choice':
      return Math.max(...part.parts.map(longest));
    case 'repeat':
      return part.max * longest(part.part);
  }
}

/** Characters with a meaning of their own outside of classes, and without one here. */
const UNSUPPORTED = new Set(['^', '$']);
const QUANTIFIER = /^(?:[?*+]|\{(\d+)(?:(,)(\d*))?\})\??/;
const GROUP_START = /^\((?:\?:|\?P?<\w+>)?/;

class GeneratorPatternParser {
  private position = 0;

  constructor(private readonly pattern: string) {}

  parse(): Part {
    const part = this.choice();
    if (this.position < this.pattern.length) throw this.unsupported();
    return part;
  }

  private choice(): Part {
    const parts = [this.sequence()];
    while (this.skip('|')) parts.push(this.sequence());
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (this.position < this.pattern.length && this.peek() !== '|' && this.peek() !== ')') {
      parts.push(this.repeated(this.atom()));
    }
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  private repeated(part: Part): Part {
    const match = QUANTIFIER.exec(this.rest());
    if (!match) return part;
    this.position += match[0].length;
    const [text, least, comma, most] = match;
    if (least === undefined) {
      const min = text.startsWith('+') ? 1 : 0;
      return { kind: 'repeat', part, min, max: text.startsWith('?') ? 1 : UNBOUNDED_REPEATS };
    }
    const min = Number(least);
    const unbounded = comma !== undefined && most === '';
    return { kind: 'repeat', part, min, max: unbounded ? Math.max(min, UNBOUNDED_REPEATS) : Number(most ?? min) };
  }

  private atom(): Part {
    const next = this.peek();
    if (next === '(') return this.group();
    if (next === '[') return this.character(this.bracketClass());
    if (next === '\\') return this.character(this.escape());
    if (UNSUPPORTED.has(next)) throw this.unsupported();
    this.position += next.length;
    return this.character(next === '.' ? CharacterSet.ALPHANUMERIC : CharacterSet.of(next));
  }

  private character(set: CharacterSet): Part {
    if (set.isEmpty) throw new RangeError('A class has no characters to draw from.');
    return { kind: 'character', set };
  }

  private group(): Part {
    const start = GROUP_START.exec(this.rest())![0];
    this.position += start.length;
    // Groups such as `(?i)` are not supported.
    if (start === '(' && this.peek() === '?') throw this.unsupported();
    const part = this.choice();
    if (!this.skip(')')) throw this.unsupported();
    return part;
  }

  private bracketClass(): CharacterSet {
    this.position++;
    const negated = this.skip('^');
    let set = CharacterSet.EMPTY;
    let first = true;
    while (first || this.peek() !== ']') {
      if (this.position >= this.pattern.length) throw this.unsupported();
      set = set.with(this.classItem());
      first = false;
    }
    this.position++;
    return negated ? set.complement() : set;
  }

  private classItem(): CharacterSet {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.rest());
    if (posix) {
      this.position += posix[0].length;
      const set = CharacterSet.posix(posix[2]!);
      if (!set) throw this.unsupported();
      return posix[1] ? set.complement() : set;
    }
    const from = this.classCharacter();
    const single = from.single;
    if (single === undefined || this.peek() !== '-' || [']', ''].includes(this.peek(1))) return from;
    this.position++;
    const to = this.classCharacter().single;
    if (to === undefined) throw this.unsupported();
    return CharacterSet.range(single, to);
  }

  private classCharacter(): CharacterSet {
    if (this.peek() === '\\') return this.escape();
    const next = this.peek();
    this.position += next.length;
    return CharacterSet.of(next);
  }

  private escape(): CharacterSet {
    const match = /^\\(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|([dwsDWS])|([tnrfva])|([^\p{L}\p{N}]))/u.exec(
      this.rest(),
    );
    if (!match) throw this.unsupported();
    this.position += match[0].length;
    const [, braced, hex, named, control, literal] = match;
    if (braced ?? hex) return CharacterSet.of(String.fromCodePoint(parseInt((braced ?? hex)!, 16)));
    if (named) return CharacterSet.escape(named);
    if (control) return CharacterSet.of(CONTROLS[control]!);
    return CharacterSet.of(literal!);
  }

  private rest(): string {
    return this.pattern.slice(this.position);
  }

  /** The code point here, or that many UTF-16 units further on; '' at the end. */
  private peek(ahead = 0): string {
    const code = this.pattern.codePointAt(this.position + ahead);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  private skip(character: string): boolean {
    if (this.peek() !== character) return false;
    this.position += character.length;
    return true;
  }

  private unsupported(): RangeError {
    return new RangeError(`Nothing can be generated for the operator at ${this.position}.`);
  }
}

const CONTROLS: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
};
