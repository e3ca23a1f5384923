import type { Socket } from 'node:net';
import { ApiError } from '../kernel/errors/api-error.js';
import { headerLines } from './preset-headers.js';
import { SECURITY_HEADERS } from './security-headers.js';
import type { BrokenRequest, UnroutedRequests } from './unrouted-requests.js';

/** Enough of the first bytes for the longest address that is logged. */
const MOST_LINE = 8_192;

/** The bytes may also be those of a body, which is never logged. */
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/\S*)/;

/** What is wrong with a body. Its request is known, and is logged as one that was cut off. */
const OF_BODIES: ReadonlySet<unknown> = new Set(['HPE_INVALID_CHUNK_SIZE', 'HPE_CHUNK_EXTENSIONS_OVERFLOW']);

/** Answers what never became a request: a head that is too large, malformed or too slow. The socket is then closed. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, log: UnroutedRequests | null): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const failure = toFailure(error);
  const line = OF_BODIES.has(error.code) ? undefined : requestLine(error);
  // Whoever says nothing at all, or nothing that can be named, has asked for nothing.
  if (line) log?.broken({ ...line, failure, status: failure.status, remoteAddress: socket.remoteAddress ?? '' });
  if (socket.writable) {
    const body = JSON.stringify(failure.toBody());
    const head = headerLines({
      ...SECURITY_HEADERS,
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    });
    socket.write(`HTTP/1.1 ${failure.status} ${reason(failure.status)}\r\n${head}\r\n${body}`);
  }
  socket.destroySoon();
}

function requestLine(error: NodeJS.ErrnoException): Pick<BrokenRequest, 'method' | 'url'> | undefined {
  const { rawPacket } = error as { rawPacket?: Buffer };
  const [, method, url] = REQUEST_LINE.exec(rawPacket?.toString('latin1', 0, MOST_LINE) ?? '') ?? [];
  return method === undefined || url === undefined ? undefined : { method, url };
}

function toFailure(error: NodeJS.ErrnoException): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return new ApiError(431, 'The request headers are too large.');
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError(408, 'The request did not arrive in time.');
  return new ApiError(400, 'The request is malformed.');
}

function reason(status: number): string {
  if (status === 431) return 'Request Header Fields Too Large';
  return status === 408 ? 'Request Timeout' : 'Bad Request';
}
