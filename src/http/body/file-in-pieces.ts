import type { FileHandle } from 'node:fs/promises';
import { type HeldBytes, KeptBytes } from './arriving-bytes.js';

/** Bytes that go to the disk together: each time is a way to another thread and back. */
const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * A file that is written from its beginning, as its pieces arrive. A stream would hold more of them for longer, and the
 * garbage collector would have to look for them among all objects: that was half of what an upload took.
 */
export class FileInPieces {
  private readonly waiting: KeptBytes;

  /** `held` counts what waits. */
  constructor(
    private readonly file: FileHandle,
    private readonly held: HeldBytes,
  ) {
    this.waiting = new KeptBytes(held);
  }

  async add(piece: Buffer): Promise<void> {
    if (!this.waiting.keep(piece)) await this.write([...this.waiting.take(), piece]);
    else if (this.waiting.length >= WRITTEN_AT_ONCE) await this.flush();
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    if (this.waiting.length > 0) await this.write(this.waiting.take());
  }

  close(): Promise<void> {
    this.held.release();
    return this.file.close();
  }

  private async write(pieces: readonly Buffer[]): Promise<void> {
    const { bytesWritten } = await this.file.writev(pieces);
    this.held.release();
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    // A disk that is nearly full takes a part, and says so when it is asked to take the rest.
    if (bytesWritten < length) await this.file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
  }
}
