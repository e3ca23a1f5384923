import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { PayloadTooLargeError } from '../kernel/errors/payload-too-large.error.js';
import type { Upload } from '../kernel/files/upload.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import { FormValues } from './form-values.js';

/** FS-17. */
const MAX_PARTS = 1000;

/** Bytes at the start of a file kept in memory to tell its type. */
const HEAD_SIZE = 4096;

/** A file part on disk, before it is named. */
export interface FilePart {
  readonly originalName: string;
  /** The first bytes of the content, at most 4 KiB. */
  readonly head: Uint8Array;
  readonly size: number;
  readonly path: string;
}

/** What is read from the content and the name of a file that arrived. */
export type IdentifyFile = (part: FilePart) => Promise<Pick<Upload, 'name' | 'mimeType'>>;

export interface MultipartOptions {
  /** Where files are put while the request lasts: `<dir>/.temp`. */
  readonly tempDir: string;
  /** Most bytes of the whole body. */
  readonly bodyLimit: number;
  /**
   * Asked once for each file part, in the order they arrive: how many bytes of it are worth keeping. Undefined: the
   * part is not wanted and leaves no trace (FS-16).
   */
  readonly bytesToKeep: (key: string) => number | undefined;
  readonly identify: IdentifyFile;
}

/** A file of a form and the key it came under, e.g. `docs+` or `requests.0.cover`. */
export interface FormFile {
  readonly key: string;
  readonly upload: Upload;
}

/** A form that arrived. Whoever has it must `dispose` of it when the request ends, by whatever cause (FS-22). */
export interface MultipartForm {
  readonly values: Record<string, unknown>;
  readonly files: readonly FormFile[];
  /** Removes the temporary files that nobody moved elsewhere. May be called more than once. */
  dispose(): Promise<void>;
}

/**
 * Reads a `multipart/form-data` body: values into memory, files to disk, neither faster than the disk takes them.
 *
 * Throws a PayloadTooLargeError beyond the body limit and a BadRequestError for a body that is not what its type says,
 * has too many parts, or ends before its last boundary; the temporary files are gone then. The request is left unread
 * and open, so that it can still be answered.
 */
export async function readMultipart(
  request: Readable,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  options: MultipartOptions,
): Promise<MultipartForm> {
  if (Number(headers['content-length']) > options.bodyLimit) throw new PayloadTooLargeError();
  const reading = new MultipartReading(parserFor(String(headers['content-type'])), options);
  try {
    return await reading.read(request);
  } catch (error) {
    await reading.abandon();
    throw error instanceof ApiError || isSystemError(error) ? error : unreadable(error);
  }
}

/** One body being read. */
class MultipartReading {
  private readonly values = new FormValues();
  private readonly files: (FormFile | undefined)[] = [];
  private readonly tempFiles = new Set<string>();
  private readonly receiving: Promise<void>[] = [];
  private readonly failed = new AbortController();

  constructor(
    private readonly parser: BusboyInstance,
    private readonly options: MultipartOptions,
  ) {
    parser.on('field', (key: string | undefined, text: string) => this.guard(() => key && this.values.add(key, text)));
    parser.on('file', (key: string | undefined, part, name) => this.guard(() => this.take(key, part, name)));
    parser.on('fieldsLimit', () => this.fail(new BadRequestError(`The form has more than ${MAX_PARTS} values.`)));
    parser.on('filesLimit', () => this.fail(new BadRequestError(`The form has more than ${MAX_PARTS} files.`)));
    parser.on('error', (error) => this.fail(error));
  }

  async read(request: Readable): Promise<MultipartForm> {
    const finished = once(this.parser, 'finish', { signal: this.failed.signal });
    finished.catch(() => {});
    const length = await this.feed(request);
    if (length > 0) {
      this.parser.end();
      await this.unlessFailed(finished);
      await this.unlessFailed(Promise.all(this.receiving));
    }
    return {
      values: this.values.toBody(),
      files: this.files.filter((file) => file !== undefined),
      dispose: () => this.dispose(),
    };
  }

  /** Stops whatever is still being written, then removes it. */
  async abandon(): Promise<void> {
    this.failed.abort();
    await Promise.allSettled(this.receiving);
    await this.dispose();
  }

  private async feed(request: Readable): Promise<number> {
    let length = 0;
    // Leaving the loop must not destroy the request: its connection still has to carry the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > this.options.bodyLimit) throw new PayloadTooLargeError();
      if (!this.parser.write(chunk))
        await this.unlessFailed(once(this.parser, 'drain', { signal: this.failed.signal }));
      this.failed.signal.throwIfAborted();
    }
    return length;
  }

  private take(key: string | undefined, part: BusboyFileStream, fileName: string): void {
    // A body that ends too early fails the parser first and then, with nobody reading any more, the part.
    part.on('error', () => {});
    const keep = key ? this.options.bytesToKeep(key) : undefined;
    if (key === undefined || keep === undefined) {
      part.resume();
      return;
    }
    const index = this.files.push(undefined) - 1;
    const received = this.receive(part, baseName(fileName), keep).then((upload) => {
      this.files[index] = { key, upload };
    });
    received.catch((error: unknown) => this.fail(error));
    this.receiving.push(received);
  }

  private async receive(part: BusboyFileStream, originalName: string, keep: number): Promise<Upload> {
    await mkdir(this.options.tempDir, { recursive: true, mode: 0o700 });
    const path = join(this.options.tempDir, `upload-${randomText(20, LOWER_ALPHANUMERIC)}`);
    const md5 = createHash('md5');
    const head: Buffer[] = [];
    let size = 0;
    async function* measured(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        if (size < HEAD_SIZE) head.push(chunk.subarray(0, HEAD_SIZE - size));
        const kept = chunk.subarray(0, Math.max(0, keep - size));
        size += chunk.length;
        md5.update(chunk);
        if (kept.length > 0) yield kept;
      }
    }
    this.tempFiles.add(path);
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await pipeline(part, measured, file, { signal: this.failed.signal });
    const identity = await this.options.identify({ originalName, head: Buffer.concat(head), size, path });
    const truncated = size > keep;
    if (truncated) await this.remove(path);
    return { ...identity, originalName, size, truncated, md5: md5.digest('base64'), path };
  }

  private async dispose(): Promise<void> {
    await Promise.all([...this.tempFiles].map((path) => this.remove(path)));
  }

  private async remove(path: string): Promise<void> {
    this.tempFiles.delete(path);
    await rm(path, { force: true });
  }

  private fail(error: unknown): void {
    this.failed.abort(error);
  }

  /** The parser would lose what its listeners throw. */
  private guard(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The result of the work, or the first failure of the reading as a whole. */
  private async unlessFailed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.failed.signal.aborted ? this.failed.signal.reason : error;
    }
  }
}

function parserFor(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // File names are cut by baseName, which unlike the parser tells `..` from no name at all.
      preservePath: true,
      isPartAFile: (_key, _type, fileName) => fileName !== undefined && fileName !== '',
      fileHwm: 64 * 1024,
      limits: { fieldSize: Infinity, fieldNameSize: Infinity, fields: MAX_PARTS, files: MAX_PARTS },
    });
  } catch (cause) {
    throw unreadable(cause);
  }
}

function baseName(fileName: string): string {
  return fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
}

function unreadable(cause: unknown): BadRequestError {
  return new BadRequestError('The form could not be read.', {}, { cause });
}

/** A fault of the disk is ours and not the client's; a connection that broke is neither and nobody hears the answer. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && (error as NodeJS.ErrnoException).code !== 'ECONNRESET';
}
