import type { FileHandle } from 'node:fs/promises';
import { type ArrivingBytes, type HeldBytes, KeptBytes } from './arriving-bytes.js';
import { FileInPieces } from './file-in-pieces.js';
import { LARGE_BODY } from './large-bodies.js';

/** Where a piece of a text is in the file. */
interface Segment {
  readonly at: number;
  length: number;
}

/** A text of a form; what is in memory of it comes before what is in the file. */
export interface FormText {
  readonly key: string;
  readonly held: KeptBytes;
  readonly segments: Segment[];
}

/**
 * The texts of a form while they arrive, which takes as long as the client likes: the first 256 KiB of all of them in
 * memory while there is room, the rest in a file (OPS-39).
 */
export class FormTexts {
  private readonly texts: FormText[] = [];
  private held = 0;
  private spooled = 0;
  private handle: FileHandle | undefined;
  private file: FileInPieces | undefined;
  /** Pieces of two texts may be written at the same time, so each waits for those before it. */
  private writing: Promise<void> = Promise.resolve();
  private isClosed = false;

  private readonly inMemory: HeldBytes;

  /** `create` opens the file, for writing and reading. */
  constructor(
    private readonly create: () => Promise<FileHandle>,
    private readonly arriving: ArrivingBytes,
  ) {
    this.inMemory = arriving.share();
  }

  get count(): number {
    return this.texts.length;
  }

  /** Bytes of all of them. */
  get length(): number {
    return this.held + this.spooled;
  }

  begin(key: string): FormText {
    const text = { key, held: new KeptBytes(this.inMemory), segments: [] };
    this.texts.push(text);
    return text;
  }

  /** Takes the next piece of a text. The promise of one that goes to the file rejects when that cannot be written. */
  append(text: FormText, piece: Buffer): Promise<void> | undefined {
    if (this.spooled === 0 && this.held + piece.length <= LARGE_BODY && text.held.keep(piece)) {
      this.held += piece.length;
      return undefined;
    }
    const last = text.segments.at(-1);
    if (last && last.at + last.length === this.spooled) last.length += piece.length;
    else text.segments.push({ at: this.spooled, length: piece.length });
    this.spooled += piece.length;
    return (this.writing = this.writing.then(() => this.write(piece)));
  }

  /** Each text with its key, when all have arrived. It is not kept. */
  async *read(): AsyncGenerator<{ readonly key: string; readonly bytes: Buffer }> {
    await this.writing;
    await this.file?.flush();
    for (const text of this.texts.splice(0)) {
      yield {
        key: text.key,
        bytes: text.segments.length === 0 ? Buffer.concat(text.held.take()) : await this.whole(text),
      };
    }
  }

  /** Closes the file, once nothing is being written any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.inMemory.release();
    await this.writing.catch(() => undefined);
    await this.handle?.close();
    this.handle = undefined;
  }

  private async write(piece: Buffer): Promise<void> {
    // Of a form that failed, more may come.
    if (this.isClosed) return;
    this.handle ??= await this.create();
    this.file ??= new FileInPieces(this.handle, this.arriving.share());
    await this.file.add(piece);
  }

  private async whole({ held, segments }: FormText): Promise<Buffer> {
    const inMemory = held.take();
    const lengths = [...inMemory, ...segments].map(({ length }) => length);
    const bytes = Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + length, 0));
    let filled = 0;
    for (const piece of inMemory) filled += piece.copy(bytes, filled);
    for (const { at, length } of segments) {
      for (let end = filled + length, from = at; filled < end;) {
        const { bytesRead } = await this.handle!.read(bytes, filled, end - filled, from);
        if (bytesRead === 0) throw new Error('A text of a form is no longer in its file.');
        filled += bytesRead;
        from += bytesRead;
      }
    }
    return bytes;
  }
}
