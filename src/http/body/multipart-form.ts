import { createHash } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApiError } from '../../kernel/errors/api-error.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { PayloadTooLargeError } from '../../kernel/errors/payload-too-large.error.js';
import { withoutDirectory } from '../../kernel/files/file-name.js';
import type { Upload } from '../../kernel/files/upload.js';
import { LOWER_ALPHANUMERIC, randomText } from '../../kernel/ids.js';
import { EventLoopTurn } from '../event-loop/event-loop-turn.js';
import { ArrivingBytes, type HeldBytes } from './arriving-bytes.js';
import { FileInPieces } from './file-in-pieces.js';
import { FormTexts } from './form-texts.js';
import { FormValues, MAX_FORM_VALUES } from './form-values.js';
import type { JsonLimits } from './json-outline.js';
import { LARGE_BODY } from './large-bodies.js';
import { MAX_PART_HEADER, PartHeaders } from './part-headers.js';

/** FS-17. */
const MAX_FILES = 1000;

/** Parts that are begun at once. What comes with more of them is taken in pieces that let others in. */
const MANY_PARTS = 64;

/** Bytes of such a piece. */
const PIECE = 4096;

/** Files that are written at the same time. */
const WRITTEN_TOGETHER = 16;

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

/** What the content and the name of a file that arrived tell. */
export type IdentifyFile = (part: FilePart) => Promise<Pick<Upload, 'name' | 'mimeType'>>;

export interface MultipartOptions {
  readonly contentType: string;
  /** Where files are put while the request lasts: `<dir>/.temp`. */
  readonly tempDir: string;
  /** What their names begin with. */
  readonly tempPrefix?: string;
  /** Most bytes of the whole body. */
  readonly maxBytes: number;
  /** Milliseconds the whole body may take; Infinity for as long as it likes. */
  readonly timeout: number;
  /**
   * Asked once for each file part, in the order they arrive: how many bytes of it are worth keeping. Undefined: the
   * part is not wanted and leaves no trace (FS-16).
   */
  readonly bytesToKeep: (key: string) => number | undefined;
  readonly identify: IdentifyFile;
  /** How much the JSON among the values may hold; see BodyLimits. */
  readonly json?: JsonLimits;
  /** Whose body it is: clients take turns. */
  readonly client?: string;
  /** Counts what is in memory of it, with that of all other bodies. */
  readonly arriving?: ArrivingBytes;
  /** Waits for room for so many bytes of texts; gives what ends the turn. */
  readonly enter: (length: number) => Promise<() => void>;
}

/** A file of a form and the key it came under, e.g. `docs+` or `requests.0.cover`. */
export interface FormFile {
  readonly key: string;
  readonly upload: Upload;
}

/**
 * One `multipart/form-data` body: values go to memory, or to disk where they are long, files always do, and the client
 * is read no faster than the disk takes them. Whoever read one must `dispose` of it when the request ends, by whatever
 * cause (FS-22).
 */
export class MultipartForm {
  private readonly parser: BusboyInstance;
  private readonly headers: PartHeaders;
  private readonly texts: FormTexts;
  private readonly arriving: ArrivingBytes;
  private fileCount = 0;
  /** Files that are being written. */
  private writing = 0;
  private onWritten: (() => void) | undefined;
  private readonly turn: EventLoopTurn;
  /** Counts bytes that wait for their turn. */
  private readonly waiting: HeldBytes;
  /** True while bytes wait for their turn, or those with many parts are taken in pieces. */
  private isInTurn = false;
  private body: Record<string, unknown> = {};
  private leaveRoom = () => {};
  private readonly receiving: Promise<FormFile>[] = [];
  private received: readonly FormFile[] = [];
  private readonly tempFiles = new Set<string>();
  private readonly failed = new AbortController();

  private constructor(private readonly options: MultipartOptions) {
    // Every file that is being written listens, and small ones arrive many at a time.
    setMaxListeners(0, this.failed.signal);
    this.turn = new EventLoopTurn(options.client);
    this.arriving = options.arriving ?? new ArrivingBytes();
    this.waiting = this.arriving.share();
    this.texts = new FormTexts(() => this.create(this.newPath('body'), 'wx+'), this.arriving);
    const boundary = boundaryOf(options.contentType);
    this.parser = parserFor(boundary);
    this.headers = new PartHeaders(boundary);
    this.parser.on('file', (key: string | undefined, part, fileName?: string) => {
      // A body that ends too early fails the parser first and then, with nobody reading any more, the part.
      part.on('error', () => {});
      if (this.failed.signal.aborted) part.resume();
      else if (fileName) this.takeFile(key, part, fileName);
      else this.takeText(key, part);
    });
    this.parser.on('error', (error) => this.fail(error));
  }

  /**
   * Reads a body to its end. Throws a PayloadTooLargeError as soon as it is too long and a BadRequestError when it is
   * not what its type says, has too many parts or one with too long a header, or ends before its last boundary;
   * temporary files are gone then.
   */
  static async read(body: Readable, options: MultipartOptions): Promise<MultipartForm> {
    const form = new MultipartForm(options);
    const timer = form.startTimer();
    try {
      await form.readAll(body);
      return form;
    } catch (error) {
      await form.abandon();
      throw error instanceof ApiError || isFaultOfDisk(error) ? error : unreadable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  get values(): Record<string, unknown> {
    return this.body;
  }

  /** In the order they arrived. */
  get files(): readonly FormFile[] {
    return this.received;
  }

  /**
   * Removes the temporary files that nobody moved elsewhere, and gives back the room for large values. May be called
   * more than once.
   */
  async dispose(): Promise<void> {
    this.leaveRoom();
    await Promise.all([...this.tempFiles].map((path) => this.remove(path)));
  }

  private startTimer(): NodeJS.Timeout | undefined {
    const { timeout } = this.options;
    if (timeout === Infinity) return undefined;
    return setTimeout(() => this.fail(new BadRequestError('The body did not arrive in time.')), timeout);
  }

  private async readAll(body: Readable): Promise<void> {
    const parsed = this.unlessFailed(once(this.parser, 'finish', { signal: this.failed.signal }));
    parsed.catch(() => {});
    const length = await this.feed(body);
    if (length === 0) return;
    this.parser.end();
    await parsed;
    this.received = await this.unlessFailed(Promise.all(this.receiving));
    await this.readTexts();
  }

  private async readTexts(): Promise<void> {
    const { options, texts, turn } = this;
    if (texts.length > LARGE_BODY) this.leaveRoom = await options.enter(texts.length);
    const values = new FormValues(options.json);
    for await (const { key, bytes } of texts.read()) {
      if (key !== '') values.add(key, bytes);
      const others = turn.pause();
      if (others) await others;
    }
    await this.texts.close();
    this.body = await values.toBody();
  }

  /** Passes the body on to the parser; resolves with its length at its end, rejects with the first failure. */
  private feed(body: Readable): Promise<number> {
    const { signal } = this.failed;
    return new Promise((resolve, reject) => {
      let length = 0;
      let written: Promise<void> | undefined;
      const onData = (chunk: Buffer) => {
        length += chunk.length;
        if (length > this.options.maxBytes) return this.fail(new PayloadTooLargeError());
        const { count } = this.headers;
        const complaint = this.headers.accept(chunk);
        if (complaint !== undefined) return this.fail(new BadRequestError(complaint));
        const hasManyParts = this.headers.count - count > MANY_PARTS;
        // Pieces of a thousand bodies may come in one round of the event loop. Those that can be kept wait for others.
        const others = this.waiting.keep(chunk.length) ? this.turn.begin() : undefined;
        if (others === undefined && !hasManyParts) {
          this.waiting.release();
          if (!this.parser.write(chunk)) body.pause();
          return;
        }
        body.pause();
        written = this.writeInTurn(chunk, hasManyParts ? PIECE : chunk.length, others).then(
          () => void body.resume(),
          (error: unknown) => this.fail(error),
        );
      };
      const onDrain = () => {
        if (!this.isInTurn) body.resume();
      };
      const onEnd = () => {
        leave();
        // A stream that was told to pause says so all the same when it has nothing more.
        if (written) void written.then(end);
        else end();
      };
      const end = () => {
        signal.removeEventListener('abort', onFailure);
        resolve(length);
      };
      const onFailure = () => {
        leave();
        reject(signal.reason as Error);
      };
      const onBroken = () => this.fail(new BadRequestError('The body ended before it was complete.'));
      const leave = () => {
        body.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
        this.parser.off('drain', onDrain);
      };
      signal.addEventListener('abort', onFailure, { once: true });
      this.parser.on('drain', onDrain);
      body.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
      // `close` was emitted before we listened, and will not be emitted again.
      if (!body.readable) onBroken();
    });
  }

  /** Writes bytes to the parser once others had their turn, as far as nothing fails, and lets others in between. */
  private async writeInTurn(chunk: Buffer, length: number, others: Promise<void> | undefined): Promise<void> {
    this.isInTurn = true;
    await others;
    this.waiting.release();
    for (let at = 0; at < chunk.length && !this.failed.signal.aborted; at += length) {
      const piece = chunk.subarray(at, at + length);
      if (!this.parser.write(piece)) await once(this.parser, 'drain', { signal: this.failed.signal });
      // All but the last of them have all their bytes.
      while (this.writing > WRITTEN_TOGETHER && !this.failed.signal.aborted) {
        await new Promise<void>((resolve) => (this.onWritten = resolve));
      }
      await this.turn.pause();
    }
    this.isInTurn = false;
  }

  private takeText(key: string | undefined, part: BusboyFileStream): void {
    if (this.texts.count === MAX_FORM_VALUES) {
      this.fail(new BadRequestError(`The form has more than ${MAX_FORM_VALUES} values.`));
    }
    const text = this.texts.begin(key ?? '');
    part.on('data', (chunk: Buffer) => {
      const written = this.texts.append(text, chunk);
      if (!written) return;
      part.pause();
      written.then(
        () => part.resume(),
        (error: unknown) => this.fail(error),
      );
    });
  }

  private takeFile(key: string | undefined, part: BusboyFileStream, fileName: string): void {
    if (++this.fileCount > MAX_FILES) this.fail(new BadRequestError(`The form has more than ${MAX_FILES} files.`));
    const keep = key && this.fileCount <= MAX_FILES ? this.options.bytesToKeep(key) : undefined;
    if (!key || keep === undefined) {
      part.resume();
      return;
    }
    this.writing++;
    const receiving = this.receive(part, withoutDirectory(fileName), keep).finally(() => {
      this.writing--;
      this.onWritten?.();
    });
    receiving.catch((error: unknown) => this.fail(error));
    this.receiving.push(receiving.then((upload) => ({ key, upload })));
  }

  private async receive(part: BusboyFileStream, originalName: string, keep: number): Promise<Upload> {
    const path = this.newPath('upload');
    const md5 = createHash('md5');
    const head: Buffer[] = [];
    let size = 0;
    addAbortSignal(this.failed.signal, part);
    const file = new FileInPieces(await this.create(path, 'wx'), this.arriving.share());
    try {
      for await (const chunk of part as AsyncIterable<Buffer>) {
        if (size < HEAD_SIZE) head.push(Buffer.from(chunk.subarray(0, HEAD_SIZE - size)));
        const kept = chunk.subarray(0, Math.max(0, keep - size));
        size += chunk.length;
        md5.update(chunk);
        if (kept.length > 0) await file.add(kept);
      }
      await file.flush();
    } finally {
      await file.close();
    }
    const identity = await this.options.identify({ originalName, head: Buffer.concat(head), size, path });
    const truncated = size > keep;
    if (truncated) await this.remove(path);
    return { ...identity, originalName, size, truncated, md5: md5.digest('base64'), path };
  }

  /** The name of a file that `dispose` removes. */
  private newPath(kind: 'upload' | 'body'): string {
    const { tempDir, tempPrefix = '' } = this.options;
    const path = join(tempDir, `${tempPrefix}${kind}-${randomText(20, LOWER_ALPHANUMERIC)}`);
    this.tempFiles.add(path);
    return path;
  }

  /** Creates the file, and its directory when somebody has removed that. */
  private async create(path: string, flags: 'wx' | 'wx+'): Promise<FileHandle> {
    try {
      return await open(path, flags, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(this.options.tempDir, { recursive: true, mode: 0o700 });
      return open(path, flags, 0o600);
    }
  }

  /** Stops whatever is still being written, then removes it. */
  private async abandon(): Promise<void> {
    this.fail(new Error('The body is not read any further.'));
    await Promise.allSettled(this.receiving);
    await this.texts.close();
    await this.dispose();
  }

  private async remove(path: string): Promise<void> {
    this.tempFiles.delete(path);
    await rm(path, { force: true });
  }

  private fail(error: unknown): void {
    this.failed.abort(error);
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

/** Also in quotes, which have to be there around some characters. */
const BOUNDARY = /;\s*boundary=(?:"((?:[^"\\]|\\.)+)"|([^\s;"]+))/i;

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = plain ?? quoted?.replaceAll(/\\(.)/g, '$1');
  if (boundary === undefined) throw unreadable(new Error('The content type names no boundary.'));
  return boundary;
}

function parserFor(boundary: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary.replaceAll(/["\\]/g, '\\$&')}"` },
      // File names are cut by withoutDirectory, which unlike the parser tells `..` from no name at all.
      preservePath: true,
      // Texts are streams as well: what the parser makes of them holds others up when they are long.
      isPartAFile: () => true,
      fileHwm: 64 * 1024,
      limits: {
        files: Infinity,
        // PartHeaders refuses before anything of a header would be cut; the parser counts half of its end too.
        headerSize: MAX_PART_HEADER + 4,
        headerPairs: Infinity,
      },
    });
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): BadRequestError {
  return new BadRequestError('The form could not be read.', {}, { cause });
}

function isFaultOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
