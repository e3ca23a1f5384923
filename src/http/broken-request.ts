import type { Socket } from 'node:net';
import { ApiError } from '../kernel/errors/api-error.js';

/** Answers what never became a request: a head that is too large, malformed or too slow. The socket is then closed. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const failure = toFailure(error);
  if (socket.writable) {
    const body = JSON.stringify(failure.toBody());
    socket.write(
      `HTTP/1.1 ${failure.status} ${reason(failure.status)}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
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
