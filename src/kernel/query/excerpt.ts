import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { BadRequestError } from '../errors/bad-request.error.js';
import { fieldError } from '../errors/error-codes.js';
import { PlainText } from './plain-text.js';

/** How `:excerpt(max, withEllipsis)` shortens (FLD-5). */
export interface Excerpt {
  /** In code points. */
  readonly max: number;
  readonly withEllipsis: boolean;
}

/** The length of text that may still be read for excerpts before other work runs, in UTF-16 units. */
export class ExcerptReading {
  private left = LONGEST_READING;

  /** As much of a text as may be read. */
  within(text: string): string {
    return text.length > this.left ? text.slice(0, this.left) : text;
  }

  take(length: number): void {
    this.left -= length;
  }

  /** For another answer with the same fields, or after others had their turn. */
  renew(): void {
    this.left = LONGEST_READING;
  }
}

/** Some tens of millions of units are read per second, and an answer is read without interruption. */
const LONGEST_READING = 2_000_000;

/** Elements whose content is not shown. A title counts as one also outside of a head. */
const DROPPED: ReadonlySet<string> = new Set(
  (
    'head title style script iframe embed applet object svg img picture dialog template button form textarea input ' +
    'select option'
  ).split(' '),
);

const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section ' +
    'summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);

const VOID: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr'.split(' '),
);

const HEAD_CONTENT: ReadonlySet<string> = new Set('base link meta noscript script style template title'.split(' '));

/**
 * Text or HTML as the beginning of its plain text (FLD-5). Takes time in proportion to what has to be read of it.
 * Throws a BadRequestError when that is more than the answer has left (OPS-39).
 */
export function makeExcerpt(value: string, { max, withEllipsis }: Excerpt, reading?: ExcerptReading): string {
  const text = new PlainText(max);
  const readable = reading?.within(value) ?? value;
  const length = readPlain(readable, text);
  reading?.take(length);
  if (readable.length < value.length && !text.isCut) throw tooMuch();
  return text.isCut && withEllipsis ? `${text}...` : text.toString();
}

/** Puts the prose into the text; how much was read. */
function readPlain(value: string, text: PlainText): number {
  if (/[<&]/.test(value)) return new ExcerptReader(value, text).read();
  text.append(value);
  return Math.min(value.length, 2 * text.max);
}

function tooMuch(): BadRequestError {
  return new BadRequestError(
    'Too much text would have to be read for the excerpts. Ask for fewer records or shorter ones.',
    {
      fields: fieldError('validation_excerpts_too_large'),
    },
  );
}

/**
 * Feeds the text of an HTML document to a PlainText and stops when that is full. It uses htmlparser2's Tokenizer
 * instead of its Parser, whose time grows with the square of the nesting: a few megabytes of `<b>` would block
 * everybody.
 */
class ExcerptReader implements TokenizerCallbacks {
  private readonly tokenizer = new Tokenizer({}, this);
  private readonly open: string[] = [];
  private readonly openCount = new Map<string, number>();
  private dropped = 0;
  /** Where what was read ends. */
  private end = 0;

  constructor(
    private readonly html: string,
    private readonly text: PlainText,
  ) {}

  /** How much was read. */
  read(): number {
    this.tokenizer.write(this.html);
    this.tokenizer.end();
    return this.text.isCut ? this.end : this.html.length;
  }

  ontext(start: number, end: number): void {
    this.end = Math.min(end, start + 2 * this.text.max);
    this.write(this.html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.write(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    const name = this.html.slice(start, end).toLowerCase();
    this.closeImplied(name);
    this.separate(name);
    if (VOID.has(name)) return;
    this.open.push(name);
    this.openCount.set(name, (this.openCount.get(name) ?? 0) + 1);
    if (DROPPED.has(name)) this.dropped++;
  }

  onselfclosingtag(): void {
    if (this.isInForeignContext()) this.close();
  }

  onclosetag(start: number, end: number): void {
    const name = this.html.slice(start, end).toLowerCase();
    if (this.isOpen(name)) while (this.close() !== name);
    this.separate(name);
  }

  /** Inside an SVG, `<title>` and `<style>` are ordinary elements. */
  isInForeignContext(): boolean {
    return this.isOpen('svg');
  }

  onopentagend(): void {}
  onend(): void {}
  oncomment(): void {}
  oncdata(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onattribname(): void {}
  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}

  private write(part: string): void {
    if (this.dropped > 0) return;
    this.text.append(part);
    if (this.text.isCut) this.tokenizer.pause();
  }

  private separate(name: string): void {
    if (BLOCKS.has(name)) this.text.appendBlank();
  }

  private isOpen(name: string): boolean {
    return (this.openCount.get(name) ?? 0) > 0;
  }

  /** Closes elements whose end tag HTML allows to be left out, when their content is dropped. */
  private closeImplied(next: string): void {
    const current = this.open.at(-1);
    if (current === 'option' && (next === 'option' || next === 'optgroup')) this.close();
    if (current === 'head' && !HEAD_CONTENT.has(next)) this.close();
  }

  private close(): string | undefined {
    const name = this.open.pop();
    if (name === undefined) return undefined;
    this.openCount.set(name, (this.openCount.get(name) ?? 0) - 1);
    if (DROPPED.has(name)) this.dropped--;
    return name;
  }
}
