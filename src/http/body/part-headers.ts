/** Most bytes of the header of one part: far more than a name, a type and a file name take. */
export const MAX_PART_HEADER = 80 * 1024;

/**
 * Most bytes of the headers of all parts: a kilobyte for each of the texts and files that there may be. The parser makes
 * texts of them, which take long and stay in memory.
 */
export const MAX_PART_HEADERS = 2 * 1024 * 1024;

const HEADER_END = Buffer.from('\r\n\r\n');

const TOO_LONG = 'A part of the form has too long a header.';
const ALL_TOO_LONG = 'The parts of the form have too long headers.';
const UNCLEAR = 'The form could not be read.';

/**
 * Watches the headers of the parts of a multipart body for what the parser would lose silently: it cuts a header that
 * is too long, and takes the rest of a delimiter's line for the first line of the header. And it bounds the headers of
 * all parts together, which the parser would take as long as there are any.
 */
export class PartHeaders {
  private readonly delimiter: Buffer;
  /** What a delimiter or the end of a header may begin in. The first delimiter has no line before it. */
  private rest = Buffer.from('\r\n');
  private place: 'content' | 'header' | 'epilogue' = 'content';
  /** Bytes of the header before `rest`. */
  private length = 0;
  private begun = 0;
  /** Bytes of the headers before this one. */
  private before = 0;

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** How many parts have begun in the bytes taken so far. */
  get count(): number {
    return this.begun;
  }

  /** Takes the next bytes of the body. Gives the error message when a part of it would be lost. */
  accept(chunk: Buffer): string | undefined {
    const bytes = Buffer.concat([this.rest, chunk]);
    let at = 0;
    while (this.place !== 'epilogue') {
      const next = bytes.indexOf(this.delimiter, at);
      const end = this.place === 'header' ? bytes.indexOf(HEADER_END, at) : -1;
      if (end >= 0 && (next < 0 || end < next)) {
        const complaint = this.endHeader(end - at);
        if (complaint !== undefined) return complaint;
        this.place = 'content';
        // The second of the two line breaks may be the one a delimiter begins with.
        at = end + 2;
      } else if (next >= 0) {
        // A part without an empty line is all header.
        const complaint = this.place === 'header' ? this.endHeader(next - at) : undefined;
        if (complaint !== undefined) return complaint;
        const after = next + this.delimiter.length;
        if (bytes.length < after + 2) return this.keep(bytes, next);
        const mark = bytes.toString('latin1', after, after + 2);
        if (mark !== '--' && mark !== '\r\n') return UNCLEAR;
        this.place = mark === '--' ? 'epilogue' : 'header';
        this.length = 0;
        this.begun++;
        at = after;
      } else {
        const seen = Math.max(at, bytes.length - this.delimiter.length + 1);
        this.length += seen - at;
        if (this.place === 'header' && this.length > MAX_PART_HEADER) return TOO_LONG;
        return this.keep(bytes, seen);
      }
    }
    return this.keep(bytes, bytes.length);
  }

  private endHeader(rest: number): string | undefined {
    const length = this.length + rest;
    this.length = 0;
    this.before += length;
    if (length > MAX_PART_HEADER) return TOO_LONG;
    return this.before > MAX_PART_HEADERS ? ALL_TOO_LONG : undefined;
  }

  private keep(bytes: Buffer, from: number): undefined {
    this.rest = Buffer.from(bytes.subarray(from));
  }
}
