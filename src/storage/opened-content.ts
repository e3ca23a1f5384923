import { Readable } from 'node:stream';
import type { OpenedFile, StoredFile } from './file-storage.js';

/** A file, or the asked-for part of one, that has been read already. Nothing is open behind it. */
export class OpenedContent implements OpenedFile {
  constructor(
    readonly file: StoredFile,
    readonly content: Buffer,
  ) {}

  get stream(): Readable {
    return Readable.from(this.content.length > 0 ? [this.content] : [], { objectMode: false });
  }
}
