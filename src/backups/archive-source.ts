import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { RandomAccessReader } from 'yauzl';

/** Bytes of one read; requests are often small and close to each other. */
const WINDOW = 256 * 1024;

/** One for the directory of the archive and one for the content, which are read in turns. */
const WINDOWS = 2;

/** Gives the bytes from `start` up to but not including `end`; both lie within the archive. */
export type ReadBytes = (start: number, end: number) => Promise<Buffer>;

interface Window {
  readonly start: number;
  readonly bytes: Buffer;
}

/** An archive as the library reads it, wherever it lies: in few reads, a window at a time. */
export class ArchiveSource extends RandomAccessReader {
  private windows: readonly Window[] = [];

  constructor(
    readonly size: number,
    private readonly fetch: ReadBytes,
    private readonly release: () => Promise<void> = () => Promise.resolve(),
  ) {
    super();
  }

  /** The archive in a file of this machine. */
  static async open(path: string): Promise<ArchiveSource> {
    const handle = await open(path, 'r');
    const { size } = await handle.stat();
    const read: ReadBytes = async (start, end) => {
      const bytes = Buffer.allocUnsafeSlow(end - start);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
        if (bytesRead === 0) throw new Error('The archive became shorter while it was read.');
        length += bytesRead;
      }
      return bytes;
    };
    return new ArchiveSource(size, read, () => handle.close());
  }

  /** Bytes of the archive; fewer at its end. They may be shared and must not be changed. */
  async bytes(start: number, length: number): Promise<Buffer> {
    const end = Math.min(start + length, this.size);
    if (start >= end) return Buffer.alloc(0);
    if (end - start > WINDOW) return this.fetch(start, end);
    const known = this.windows.find((each) => each.start <= start && end <= each.start + each.bytes.length);
    const window = known ?? { start, bytes: await this.fetch(start, Math.min(start + WINDOW, this.size)) };
    if (this.windows[0] !== window) {
      this.windows = [window, ...this.windows.filter((each) => each !== window)].slice(0, WINDOWS);
    }
    return window.bytes.subarray(start - window.start, end - window.start);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: NodeJS.ErrnoException | null, bytesRead?: number) => void,
  ): void {
    callbackify(async () => (await this.bytes(position, length)).copy(buffer, offset))(callback);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false });
  }

  override close(callback: (error: NodeJS.ErrnoException | null) => void): void {
    callbackify(this.release)(callback);
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += WINDOW) yield await this.fetch(at, Math.min(at + WINDOW, end));
  }
}
