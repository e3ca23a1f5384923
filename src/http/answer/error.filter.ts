import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import type { ApiError } from '../../kernel/errors/api-error.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { thrownText } from '../../kernel/errors/message-of.js';
import { toApiError } from './error-body.js';
import { requestOf } from '../request/request-of.js';
import type { RoostRequest } from '../request/roost-request.js';
import { errorHeaders } from '../adapter/security-headers.js';

/**
 * Writes every error body. Unknown errors say nothing to the client and everything to the log, in whatever transport:
 * GraphQL and microservices meet this filter as they meet all that are global (microservices with `inheritAppConfig`),
 * a gateway asks for it by `@UseFilters(ErrorFilter)`.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** What is returned matters to microservices only: the stream that ends with the error. */
  catch(error: unknown, host: ArgumentsHost): void | Observable<never> {
    const transport = host.getType<string>();
    if (transport === 'http') return this.answerHttp(error, host);
    if (transport === 'rpc') return throwError(() => this.rpcError(error));
    if (transport === 'ws') return sendToSocket(host, this.socketError(error, host));
    throw this.thrownError(error);
  }

  private answerHttp(error: unknown, host: ArgumentsHost): void {
    const request = requestOf(host);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const failure = isBrokenOff(error, request)
      ? new BadRequestError('The body ended before it was complete.')
      : toApiError(error, this.config.dev);
    request.failure = failure;
    this.tellIfUnexpected(failure, `${request.method} ${request.originalUrl.split('?')[0]}`);
    if (reply.sent || reply.raw.headersSent) return;
    void reply
      .code(failure.status)
      .headers({ ...errorHeaders(reply), ...failure.headers })
      .type('application/json')
      .send(failure.toBody());
  }

  /** Errors of the transport's library keep their own form; all others are written as in HTTP. */
  private rpcError(error: unknown): object {
    const own = ownWords(error);
    if (own !== undefined) return typeof own === 'object' ? own : { status: 'error', message: own };
    return { status: 'error', ...this.failureOf(error, 'rpc').toBody() };
  }

  /** As Nest's own filter for gateways writes it. */
  private socketError(error: unknown, host: ArgumentsHost): object {
    const [data, pattern] = [host.getArgByIndex<unknown>(1), host.getArgs().at(-1) as unknown];
    const own = ownWords(error);
    if (typeof own === 'object') return own;
    const said = own === undefined ? this.failureOf(error, 'ws').toBody() : { message: own };
    return { status: 'error', ...said, cause: { pattern, data } };
  }

  /**
   * For whoever called the handler, such as a server of GraphQL, which shows the message and `extensions`, whose `code`
   * is a text there.
   */
  private thrownError(error: unknown): unknown {
    if (typeof (error as { extensions?: unknown } | null)?.extensions === 'object') return error;
    const failure = this.failureOf(error, 'graphql');
    const { code, data } = failure.toBody();
    return Object.assign(failure, { extensions: { code: String(code), data } });
  }

  private failureOf(error: unknown, place: string): ApiError {
    const failure = toApiError(error, this.config.dev);
    this.tellIfUnexpected(failure, place);
    return failure;
  }

  private tellIfUnexpected(failure: ApiError, place: string): void {
    if (!isUnexpected(failure)) return;
    const cause = failure.cause ?? failure;
    const [text, stack] = cause instanceof Error ? [cause.message, cause.stack] : [thrownText(cause)];
    // While a database is away, each request meets with the same: a line tells as much as where it was noticed.
    if (failure.status === 503) this.logger.error(`${place}: ${text}`);
    else this.logger.error(`${place}: ${text}`, stack);
  }
}

/** What an RpcException or a WsException of Nest was made with; both have the same method. */
function ownWords(error: unknown): string | object | undefined {
  const { getError } = (error ?? {}) as { getError?: () => string | object };
  return typeof getError === 'function' ? getError.call(error) : undefined;
}

/** A socket of Socket.IO emits to its peer; a plain WebSocket, known by its state, emits to itself and sends text. */
function sendToSocket(host: ArgumentsHost, data: object): void {
  const client = host.getArgByIndex<{ readyState?: unknown; send?: unknown; emit?: unknown }>(0);
  if (typeof client.readyState === 'number' && typeof client.send === 'function') {
    client.send(JSON.stringify({ event: 'exception', data }));
  } else if (typeof client.emit === 'function') {
    client.emit('exception', data);
  }
}

/** A client disconnected while a route read its body itself. Nothing to log as an error. */
function isBrokenOff(error: unknown, { raw }: RoostRequest): boolean {
  if (!raw.destroyed || raw.readableEnded || !(error instanceof Error)) return false;
  return error === raw.errored || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** A 503 that was thrown on purpose (stopping, restoring, too many streams) is not logged as a fault. */
function isUnexpected({ status, cause }: ApiError): boolean {
  return status === 500 || (status > 500 && cause !== undefined && !(cause instanceof HttpException));
}
