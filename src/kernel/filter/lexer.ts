import type { ComparisonOperator, Span } from './filter-node.js';
import { FilterError } from './filter.error.js';
import { isIdentifier, type Token } from './token.js';

const OPERATORS: ReadonlySet<string> = new Set<ComparisonOperator>(['=', '!=', '>', '>=', '<', '<=', '~', '!~']);

const EXPONENT = /^[eE][+-]?[0-9]{1,3}(?![0-9])/;
const LONGEST_EXPONENT = 'e-123'.length;

const isBlank = (char: string) => char === ' ' || char === '\t' || char === '\n' || char === '\r';
const isDigit = (char: string) => char >= '0' && char <= '9';
const isOperatorPart = (char: string) => '=?!<>~'.includes(char);
const isJoinPart = (char: string) => char === '&' || char === '|';
const isLetter = (char: string) => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');
const isIdentifierStart = (char: string) => isLetter(char) || char === '_' || char === '@' || char === '#';
const isNamePart = (char: string) => isLetter(char) || isDigit(char) || char === '_';
const isIdentifierPart = (char: string) => isNamePart(char) || char === '.' || char === ':';

/**
 * Cuts a filter text into tokens, from left to right and each character once. `next` throws a FilterError for what is
 * no token, and goes on behind it when called again. After the last token it answers `end`, as often as it is asked.
 */
export class Lexer {
  private position = 0;

  constructor(
    private readonly text: string,
    private readonly options: { readonly placeholders?: boolean } = {},
  ) {}

  next(): Token {
    this.skipBlanks();
    const char = this.text.charAt(this.position);
    if (char === '') return { kind: 'end', span: this.spanFrom(this.position) };
    if (isIdentifierStart(char)) return this.identifier();
    if (isDigit(char) || char === '-') return this.number();
    if (isOperatorPart(char)) return this.operator();
    if (isJoinPart(char)) return this.join();
    switch (char) {
      case '"':
        return this.doubleQuoted();
      case "'":
        return this.singleQuoted();
      case '(':
        return { kind: 'open', span: this.advance() };
      case ')':
        return { kind: 'close', span: this.advance() };
      case ',':
        return { kind: 'comma', span: this.advance() };
      case '{':
        if (this.options.placeholders) return this.placeholder();
    }
    const symbol = String.fromCodePoint(this.text.codePointAt(this.position) as number);
    throw new FilterError(`Unexpected character ${JSON.stringify(symbol)}`, this.advance(symbol.length));
  }

  private skipBlanks(): void {
    for (;;) {
      this.skip(isBlank);
      if (!this.text.startsWith('//', this.position)) return;
      const start = this.position;
      const end = this.text.indexOf('\n', start);
      this.position = end === -1 ? this.text.length : end;
      this.refuseNul(this.text.slice(start, this.position), start);
    }
  }

  private identifier(): Token {
    const start = this.position;
    this.skip(isIdentifierPart, 1);
    const name = this.text.slice(start, this.position);
    const span = this.spanFrom(start);
    if (!isIdentifier(name)) throw new FilterError(`Incomplete name ${JSON.stringify(name)}`, span);
    return { kind: 'identifier', name, span };
  }

  private number(): Token {
    const start = this.position;
    const digits = this.text.charAt(start) === '-' ? start + 1 : start;
    if (!isDigit(this.text.charAt(digits))) throw new FilterError('Unexpected character "-"', this.advance());
    this.position = digits;
    this.skip(isDigit);
    if (this.text.charAt(this.position) === '.' && isDigit(this.text.charAt(this.position + 1))) this.skip(isDigit, 1);
    this.exponent();
    const text = this.text.slice(start, this.position);
    return { kind: 'number', value: Number(text), text, span: this.spanFrom(start) };
  }

  /** At most three digits: without them, or with more, the number ends before its `e`. */
  private exponent(): void {
    const [found] = EXPONENT.exec(this.text.slice(this.position, this.position + LONGEST_EXPONENT + 1)) ?? [''];
    this.position += found.length;
  }

  private operator(): Token {
    const start = this.position;
    this.skip(isOperatorPart);
    const run = this.text.slice(start, this.position);
    const any = run.startsWith('?');
    const operator = any ? run.slice(1) : run;
    if (!OPERATORS.has(operator))
      throw new FilterError(`Unknown operator ${JSON.stringify(run)}`, this.spanFrom(start));
    return { kind: 'operator', operator: operator as ComparisonOperator, any, span: this.spanFrom(start) };
  }

  private join(): Token {
    const start = this.position;
    this.skip(isJoinPart);
    const run = this.text.slice(start, this.position);
    const span = this.spanFrom(start);
    if (run === '&&') return { kind: 'join', join: 'and', span };
    if (run === '||') return { kind: 'join', join: 'or', span };
    throw new FilterError(`Unknown join ${JSON.stringify(run)}, expected && or ||`, span);
  }

  private doubleQuoted(): Token {
    const start = this.position;
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    return this.string(start, end, unescapeDoubleQuoted);
  }

  private singleQuoted(): Token {
    const start = this.position;
    let end = this.text.indexOf("'", start + 1);
    // FLT-2: SDKs that escape nothing but the quote send `\` + `\'` for a value of `\'`.
    while (end !== -1 && this.text[end - 1] === '\\') end = this.text.indexOf("'", end + 1);
    return this.string(start, end === -1 ? this.text.length : end, (body) => body.replaceAll("\\'", "'"));
  }

  private string(start: number, end: number, unescape: (body: string) => string): Token {
    this.position = Math.min(end + 1, this.text.length);
    const span = this.spanFrom(start);
    if (end >= this.text.length) throw new FilterError('Text without a closing quote', span);
    const value = unescape(this.text.slice(start + 1, end));
    this.refuseNul(value, start);
    return { kind: 'text', value, span };
  }

  private placeholder(): Token {
    const start = this.position;
    if (this.text.charAt(start + 1) === ':') {
      this.position = start + 2;
      this.skip(isNamePart);
      const name = this.text.slice(start + 2, this.position);
      if (name !== '' && this.text.charAt(this.position) === '}') {
        this.position++;
        return { kind: 'placeholder', name, span: this.spanFrom(start) };
      }
    }
    this.position = start;
    throw new FilterError('Unexpected character "{", a parameter is written {:name}', this.advance());
  }

  private refuseNul(value: string, start: number): void {
    if (value.includes('\0')) throw new FilterError('Text may not hold a NUL character', this.spanFrom(start));
  }

  private skip(accepts: (char: string) => boolean, atLeast = 0): void {
    this.position += atLeast;
    while (this.position < this.text.length && accepts(this.text[this.position])) this.position++;
  }

  private advance(length = 1): Span {
    const start = this.position;
    this.position += length;
    return this.spanFrom(start);
  }

  private spanFrom(start: number): Span {
    return { start, end: this.position };
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function unescapeDoubleQuoted(body: string): string {
  if (!body.includes('\\')) return body;
  return body.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (pair, code: string | undefined, char: string) =>
    code === undefined ? (ESCAPES[char] ?? pair) : String.fromCharCode(parseInt(code, 16)),
  );
}
