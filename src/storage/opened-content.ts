import { Readable } from 'node:stream';
import type { OpenedFile, StoredFile } from './file-storage.js';

/**
 * A file, or the asked-for part of one, that has been read already. Nothing is open behind it. The content may be read
 * by others at the same time and must not be changed; what is streamed is a copy.
 */
export class OpenedContent implements OpenedFile {
  constructor(
    readonly file: StoredFile,
    readonly content: Buffer,
  ) {}

  get stream(): Readable {
    return Readable.from(this.content.length > 0 ? [Buffer.from(this.content)] : [], { objectMode: false });
  }
}
