import { type FileHandle, open } from 'node:fs/promises';

/** Little pieces are gathered up to this size before they are written. */
const GATHERED = 1024 * 1024;

/** A new file that is appended to, and whose earlier parts can be overwritten. */
export class AppendedFile {
  private readonly gathered = Buffer.allocUnsafe(GATHERED);
  private waiting = 0;
  private written = 0;

  private constructor(private readonly handle: FileHandle) {}

  /** Throws when there is a file already. */
  static async create(path: string): Promise<AppendedFile> {
    return new AppendedFile(await open(path, 'wx+', 0o600));
  }

  /** Bytes so far. */
  get size(): number {
    return this.written + this.waiting;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.waiting + bytes.length > GATHERED) await this.flush();
    if (bytes.length > GATHERED) return this.write(bytes);
    this.gathered.set(bytes, this.waiting);
    this.waiting += bytes.length;
  }

  /** Writes over what has been appended at a position. */
  async overwrite(bytes: Uint8Array, position: number): Promise<void> {
    await this.flush();
    await this.writeAt(bytes, position);
  }

  /** All of the content, a piece at a time. A piece is good until the next one is asked for. */
  async *read(): AsyncGenerator<Buffer> {
    await this.flush();
    const piece = Buffer.allocUnsafe(GATHERED);
    for (let position = 0; position < this.written;) {
      const { bytesRead } = await this.handle.read(piece, 0, piece.length, position);
      if (bytesRead === 0) throw new Error('A file became shorter while it was read.');
      position += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  async flush(): Promise<void> {
    const bytes = this.gathered.subarray(0, this.waiting);
    this.waiting = 0;
    if (bytes.length > 0) await this.write(bytes);
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private async write(bytes: Uint8Array): Promise<void> {
    await this.writeAt(bytes, this.written);
    this.written += bytes.length;
  }

  /** A nearly full disk may write only a part before it fails. */
  private async writeAt(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += (await this.handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
    }
  }
}
