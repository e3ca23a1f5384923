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
    const { headers } = request.raw;
    if (Number(headers['content-length'] ?? 0) > terms.maxBytes) throw new PayloadTooLargeError();
    if (headers['content-length'] === '0') return plainBody({});
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return plainBody({});
    const type = (headers['content-type'] ?? '').trim().toLowerCase();
    if (type.startsWith('multipart/form-data')) return this.multipart.read(request, terms);
    const text = textThatIsHere(request) ?? (await readText(request, terms.maxBytes));
    if (text === '') return plainBody({});
    if (type.startsWith('application/json')) return plainBody(parseJsonObject(text, 'The body'));
    if (type.startsWith('application/x-www-form-urlencoded')) return plainBody(readUrlEncodedForm(text));
    throw new BadRequestError('The content type of the body is not supported.');
  }
}

/** Small bodies arrive together with their head: nobody has to listen for them. Undefined for all others. */
function textThatIsHere({ raw }: RoostRequest): string | undefined {
  if (!raw.readable || raw.readableLength !== Number(raw.headers['content-length'])) return undefined;
  return (raw.read() as Buffer | null)?.toString('utf8');
}

function readText(request: RoostRequest, maxBytes: number): Promise<string> {
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
      resolve(Buffer.concat(chunks, size).toString('utf8'));
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
