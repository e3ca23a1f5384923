import { HttpException } from '@nestjs/common';
import { ApiError } from '../../kernel/errors/api-error.js';

interface FrameworkError extends Error {
  readonly statusCode?: number;
}

const TEXTS: Readonly<Record<number, string>> = {
  400: 'The request could not be processed.',
  404: 'The requested resource was not found.',
  413: 'The request body is too large.',
  414: 'The request address is too long.',
  415: 'The content type of the body is not supported.',
  431: 'The request headers are too large.',
  503: 'The server is not available at the moment.',
};

/**
 * Any thrown value as an ApiError: ours as it is, the `answer` that another error brings along, errors of Nest and
 * Fastify with their status, everything else as a 500 that says nothing to the client (OPS-37). With `dev` the message
 * of a 500 is that of the cause.
 */
export function toApiError(error: unknown, dev: boolean): ApiError {
  if (error instanceof ApiError) return error;
  const answer = (error as { readonly answer?: unknown } | null)?.answer;
  if (answer instanceof ApiError) return answer;
  if (error instanceof HttpException) return fromHttpException(error);
  const status = (error as FrameworkError | null)?.statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    // A wrong content type is a 400 everywhere (BODY-1).
    return new ApiError(status === 415 ? 400 : status, TEXTS[status] ?? TEXTS[400], {}, { cause: error });
  }
  const message = dev && error instanceof Error ? error.message : 'Something went wrong on the server.';
  return new ApiError(500, message, {}, { cause: error });
}

/** What Nest's exceptions are made with: a text, or an object of any shape. */
interface ExceptionResponse {
  readonly statusCode?: unknown;
  readonly message?: unknown;
  readonly error?: unknown;
  readonly data?: unknown;
}

/** Its message, and as `data` that of its response or else what the response says besides. */
function fromHttpException(error: HttpException): ApiError {
  const status = error.getStatus();
  const response = error.getResponse();
  const {
    statusCode: _statusCode,
    message,
    error: name,
    data,
    ...others
  }: ExceptionResponse = typeof response === 'object' ? response : { message: response };
  // A text names the status, as in Nest's own exceptions; anything else is something to know, as in health checks.
  const rest = name === undefined || typeof name === 'string' ? others : { ...others, error: name };
  const isRouteMiss = status === 404 && /^Cannot [A-Z]+ /.test(error.message);
  const text = message === undefined && typeof name === 'string' ? name : error.message;
  return new ApiError(
    status,
    // Nest's ValidationPipe gives a list of sentences.
    isRouteMiss ? TEXTS[404]! : Array.isArray(message) ? message.join('; ') : text,
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : rest,
    { cause: error },
  );
}
