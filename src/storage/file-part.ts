import { close, read } from 'node:fs';
import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { ByteRange } from './file-storage.js';

const readAside = promisify(read);

/** Bytes read at a time: with the head of an answer less than may wait for a client without being counted as unread. */
const PIECE = 120 * 1024;

/**
 * A part of an open file, which is closed in the end. An answer takes all of it through one buffer, which is filled anew
 * once the system has taken what was in it. The pieces of an ordinary stream are new memory each, which is a quarter of
 * what a large download costs.
 */
export class FilePart extends Readable {
  private at: number;
  private readonly end: number;
  /** The last time something was read. */
  private reading: Promise<unknown> | undefined;

  constructor(
    private readonly fd: number,
    { start, end }: ByteRange,
  ) {
    super({ highWaterMark: PIECE });
    this.at = start;
    this.end = end + 1;
  }

  override pipe<Target extends NodeJS.WritableStream>(target: Target, options?: { readonly end?: boolean }): Target {
    // Anything else may keep what it has taken, and look at it later.
    if (!(target instanceof ServerResponse) || options?.end === false) return super.pipe(target, options);
    this.sendTo(target).catch((error: Error) => this.destroy(error));
    return target;
  }

  override _read(): void {
    this.fill(this.makeBuffer()).then(
      (piece) => this.push(piece.length > 0 ? piece : null),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const closeFile = () => close(this.fd, (failure) => callback(error ?? failure));
    // Not while something is read, because the next file that is opened could get the same descriptor.
    if (this.reading) this.reading.then(closeFile, closeFile);
    else closeFile();
  }

  private async sendTo(response: ServerResponse): Promise<void> {
    const buffer = this.makeBuffer();
    while (this.at < this.end && !this.destroyed) {
      const piece = await this.fill(buffer);
      // Where the connection is lost instead, Fastify destroys this stream.
      await new Promise((resolve) => response.write(piece, resolve));
    }
    if (this.destroyed) return;
    response.end();
    this.push(null);
    this.resume();
  }

  private makeBuffer(): Buffer {
    return Buffer.allocUnsafeSlow(Math.min(PIECE, this.end - this.at));
  }

  /** Reads what comes next; nothing at the end. */
  private async fill(buffer: Buffer): Promise<Buffer> {
    const length = Math.min(buffer.length, this.end - this.at);
    if (length === 0) return buffer.subarray(0, 0);
    const reading = readAside(this.fd, buffer, 0, length, this.at);
    this.reading = reading;
    const { bytesRead } = await reading;
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
    this.at += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
}
