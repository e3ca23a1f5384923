import { createWriteStream, type WriteStream } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { PayloadTooLargeError } from '../../kernel/errors/payload-too-large.error.js';
import { andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import { KeptBytes } from './arriving-bytes.js';
import { type BodyLimits, DEFAULT_JSON_LIMITS } from './body-limit.js';
import { clientOf } from '../request/client-ip.js';
import { readUrlEncodedForm } from './form-values.js';
import { readJsonObject } from './json-body.js';
import { LARGE_BODY, LargeBodies } from './large-bodies.js';
import { MultipartReader } from './multipart-reader.js';
import { plainBody, type RequestBody } from './request-body.js';
import type { RoostRequest } from '../request/roost-request.js';

/** Bytes of a large body that go to the disk together. */
const WRITTEN_AT_ONCE = 64 * 1024;

/** Reads a request's body by its content type (BODY-1 to BODY-6). */
@Injectable()
export class BodyReader {
  private readonly timeout: number;

  constructor(
    private readonly multipart: MultipartReader,
    private readonly largeBodies: LargeBodies,
    @Inject(ROOST_CONFIG) config: RoostConfig,
  ) {
    this.timeout = config.bodyTimeout * 1000;
  }

  /**
   * Throws 413 as soon as the body is known to be too large, 400 when it cannot be understood, and 429 when a large one
   * finds no room for too long.
   */
  async read(request: RoostRequest, limits: BodyLimits): Promise<RequestBody> {
    if (!hasBody(request, limits.maxBytes)) return plainBody({});
    const type = mediaType(request);
    if (type.startsWith('multipart/form-data')) return this.multipart.read(request, limits);
    const bytes = bytesThatAreHere(request) ?? (await this.receive(request, limits));
    if (Buffer.isBuffer(bytes)) return plainBody(await valuesOf(bytes, type, limits));
    return this.readLarge(bytes, { type, limits, client: clientOf(request.caller.ip) });
  }

  /** The bytes as they were sent, whatever they are. Throws 413 as soon as there are known to be too many. */
  async readRaw(request: RoostRequest, maxBytes: number): Promise<Buffer> {
    if (!hasBody(request, maxBytes)) return Buffer.alloc(0);
    const bytes = bytesThatAreHere(request) ?? (await this.receive(request, { maxBytes }));
    return Buffer.isBuffer(bytes) ? bytes : this.largeBodies.take(String(bytes.path));
  }

  private async readLarge(
    file: WriteStream,
    { type, limits, client }: { readonly type: string; readonly limits: BodyLimits; readonly client: string },
  ): Promise<RequestBody> {
    const path = String(file.path);
    const leave = await this.largeBodies.enter(file.bytesWritten, client).catch(async (error: unknown) => {
      await this.largeBodies.remove(path);
      throw error;
    });
    try {
      const values = await valuesOf(await this.largeBodies.take(path), type, limits);
      return { values, files: new Map(), dispose: () => Promise.resolve(leave()) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Waits for the whole body; a large one is written to a file meanwhile. */
  private receive(
    { raw: stream }: RoostRequest,
    { maxBytes }: Pick<BodyLimits, 'maxBytes'>,
  ): Promise<Buffer | WriteStream> {
    return new Promise((resolve, reject) => {
      const broken = () => new BadRequestError('The body ended before it was complete.');
      // `close` was emitted before we listened, and will not be emitted again.
      if (!stream.readable) return reject(broken());
      const held = this.largeBodies.arriving.share();
      const kept = new KeptBytes(held);
      let size = 0;
      let file: WriteStream | undefined;
      const timer = setTimeout(() => stop(new BadRequestError('The body did not arrive in time.')), this.timeout);
      const onData = (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) return stop(new PayloadTooLargeError());
        const isKept = kept.keep(chunk);
        if (isKept && (file === undefined ? size <= LARGE_BODY : kept.length < WRITTEN_AT_ONCE)) return;
        file ??= createWriteStream(this.largeBodies.newPath(), { flags: 'wx', mode: 0o600 })
          .on('drain', () => stream.resume())
          .on('error', stop);
        const pieces = isKept ? kept.take() : [...kept.take(), chunk];
        held.release();
        if (!writeAll(pieces, file)) stream.pause();
      };
      const onEnd = () => {
        const pieces = kept.take();
        cleanUp();
        if (file === undefined) return resolve(Buffer.concat(pieces, size));
        writeAll(pieces, file);
        file.end(() => resolve(file!));
      };
      const onError = () => stop(broken());
      const stop = (error: Error) => {
        cleanUp();
        // Reads the rest without keeping it, so that the client gets to read the answer.
        stream.resume();
        if (file) file.once('close', () => void this.largeBodies.remove(String(file!.path))).destroy();
        reject(error);
      };
      const cleanUp = () => {
        clearTimeout(timer);
        held.release();
        stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
      };
      stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
    });
  }
}

/** False when the file wants to be waited for. */
function writeAll(pieces: readonly Buffer[], file: WriteStream): boolean {
  return pieces.map((piece) => file.write(piece)).at(-1) ?? true;
}

/** The bytes of a body that arrived together with its head, which needs no listeners; undefined for all others. */
function bytesThatAreHere({ raw }: RoostRequest): Buffer | undefined {
  if (!raw.readable || raw.readableLength !== Number(raw.headers['content-length'])) return undefined;
  return (raw.read() as Buffer | null) ?? undefined;
}

/** Throws 413 for a length that is too large. */
function hasBody({ raw: { headers } }: RoostRequest, maxBytes: number): boolean {
  const length = headers['content-length'];
  if (Number(length ?? 0) > maxBytes) throw new PayloadTooLargeError();
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** As a client wrote it, in small letters; '' when it did not. */
export function mediaType({ raw }: RoostRequest): string {
  return (raw.headers['content-type'] ?? '').trim().toLowerCase();
}

function valuesOf(bytes: Buffer, type: string, limits: BodyLimits): MaybePromise<Readonly<Record<string, unknown>>> {
  return andThen(parseBytes(type, bytes, limits.json), (values) => {
    if (!values) throw new BadRequestError('The content type of the body is not supported.');
    return values;
  });
}

/** The values of a body that is text; undefined for a type that is not known. Throws 400 when it is malformed. */
export function parseBytes(
  type: string,
  bytes: Buffer,
  limits = DEFAULT_JSON_LIMITS,
): MaybePromise<Readonly<Record<string, unknown>> | undefined> {
  if (bytes.length === 0) return {};
  if (type.startsWith('application/json')) {
    return andThen(readJsonObject(bytes, 'The body', limits), ({ object }) => object);
  }
  if (type.startsWith('application/x-www-form-urlencoded')) return readUrlEncodedForm(bytes, limits);
  return undefined;
}
