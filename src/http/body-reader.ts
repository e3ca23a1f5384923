import { Injectable } from '@nestjs/common';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { PayloadTooLargeError } from '../kernel/errors/payload-too-large.error.js';
import type { BodyTerms } from './body-limit.js';
import { BODY_TIMEOUT } from './body-timeout.js';
import { readUrlEncodedForm } from './form-values.js';
import { MultipartReader } from './multipart-reader.js';
import { parseJsonObject } from './parse-json.js';
import { plainBody, type RequestBody } from './request-body.js';
import type { RoostRequest } from './roost-request.js';

/** Reads a request's body by its content type (BODY-1 to BODY-6). */
@Injectable()
export class BodyReader {
  constructor(private readonly multipart: MultipartReader) {}

  /** Throws 413 as soon as the body is known to be too large, 400 when it cannot be understood. */
  async read(request: RoostRequest, terms: BodyTerms): Promise<RequestBody> {
    if (!hasBody(request, terms.maxBytes)) return plainBody({});
    const type = mediaType(request);
    if (type.startsWith('multipart/form-data')) return this.multipart.read(request, terms);
    const bytes = bytesThatAreHere(request) ?? (await readBytes(request, terms.maxBytes));
    const values = parseText(type, bytes.toString('utf8'));
    if (!values) throw new BadRequestError('The content type of the body is not supported.');
    return plainBody(values);
  }

  /** The bytes as they were sent, whatever they are. Throws 413 as soon as there are known to be too many. */
  async readRaw(request: RoostRequest, maxBytes: number): Promise<Buffer> {
    if (!hasBody(request, maxBytes)) return Buffer.alloc(0);
    return bytesThatAreHere(request) ?? readBytes(request, maxBytes);
  }
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

/** The values of a body that is text; undefined for a type that is not known. Throws 400 when it is malformed. */
export function parseText(type: string, text: string): Record<string, unknown> | undefined {
  if (text === '') return {};
  if (type.startsWith('application/json')) return parseJsonObject(text, 'The body');
  if (type.startsWith('application/x-www-form-urlencoded')) return readUrlEncodedForm(text);
  return undefined;
}

/** Small bodies arrive together with their head: nobody has to listen for them. Undefined for all others. */
function bytesThatAreHere({ raw }: RoostRequest): Buffer | undefined {
  if (!raw.readable || raw.readableLength !== Number(raw.headers['content-length'])) return undefined;
  return (raw.read() as Buffer | null) ?? undefined;
}

function readBytes(request: RoostRequest, maxBytes: number): Promise<Buffer> {
  const stream = request.raw;
  return new Promise((resolve, reject) => {
    const broken = () => new BadRequestError('The body ended before it was complete.');
    // Who went away before anybody listened says so to nobody who listens now.
    if (!stream.readable) return reject(broken());
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => stop(new BadRequestError('The body did not arrive in time.')), BODY_TIMEOUT);
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(new PayloadTooLargeError());
      else chunks.push(chunk);
    };
    const onEnd = () => {
      cleanUp();
      resolve(Buffer.concat(chunks, size));
    };
    const onError = () => stop(broken());
    const stop = (error: Error) => {
      cleanUp();
      // The rest is drained unseen, so that the client gets to read the answer.
      stream.resume();
      reject(error);
    };
    const cleanUp = () => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
    };
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
  });
}
