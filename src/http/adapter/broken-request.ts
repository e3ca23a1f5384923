import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../kernel/errors/api-error.js';
import { headerLines } from './preset-headers.js';
import { SECURITY_HEADERS } from './security-headers.js';
import type { BrokenRequest } from './unrouted-requests.js';

/** Enough of the first bytes for the longest address that is logged. */
const MOST_LINE = 8_192;

/** The bytes may also be those of a body, which is never logged. */
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/\S*)/;

/** What is wrong with a body. Its request is known, and may have been answered. */
const OF_BODIES: ReadonlySet<unknown> = new Set(['HPE_INVALID_CHUNK_SIZE', 'HPE_CHUNK_EXTENSIONS_OVERFLOW']);

/** The client has gone, in the middle of what it sent. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

/**
 * Answers what never became a request: a head that is too large, malformed or too slow. The same goes for the rest of a
 * request that is being handled. The socket is then closed.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, server?: FastifyInstance): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const failure = toFailure(error);
  const current = server?.connections.currentOn(socket);
  // The headers of an answer are sent already, and another status line would become part of its body.
  if (current?.raw.headersSent) return void socket.destroy();
  // The bytes may belong to requests that wait behind another. Without a readable request line there is nothing to log.
  const isKnown = current !== undefined || OF_BODIES.has(error.code);
  const line = isKnown ? undefined : requestLine(error);
  const { remoteAddress = '' } = socket;
  if (line) server?.unrouted?.broken({ ...line, failure, status: failure.status, remoteAddress });
  if (socket.writable) socket.write(toAnswer(failure));
  if (current !== undefined && error.code !== ENDED_EARLY) {
    current.request.failure = failure;
    server?.connections.answered(current.code(failure.status));
  }
  socket.destroySoon();
}

function toAnswer(failure: ApiError): string {
  const body = JSON.stringify(failure.toBody());
  const head = headerLines({
    ...SECURITY_HEADERS,
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  return `HTTP/1.1 ${failure.status} ${reason(failure.status)}\r\n${head}\r\n${body}`;
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
