import type { FileHandle } from 'node:fs/promises';
import { alone, type HeldBytes } from './arriving-bytes.js';

/** Bytes that go to the disk together: each time is a way to another thread and back. */
const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * A file that is written from its beginning, as its pieces arrive. A stream would hold more of them for longer, and the
 * garbage collector would have to look for them among all objects: that was half of what an upload took.
 */
export class FileInPieces {
  private waiting: Buffer[] = [];
  private length = 0;

  /** `held` counts what waits. */
  constructor(
    private readonly file: FileHandle,
    private readonly held: HeldBytes,
  ) {}

  async add(piece: Buffer): Promise<void> {
    this.waiting.push(alone(piece));
    this.length += piece.length;
    if (!this.held.keep(piece.length) || this.length >= WRITTEN_AT_ONCE) await this.flush();
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    const [pieces, length] = [this.waiting, this.length];
    if (length === 0) return;
    [this.waiting, this.length] = [[], 0];
    const { bytesWritten } = await this.file.writev(pieces);
    this.held.release();
    // A disk that is nearly full takes a part, and says so when it is asked to take the rest.
    if (bytesWritten < length) await this.file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
  }

  close(): Promise<void> {
    this.held.release();
    return this.file.close();
  }
}
