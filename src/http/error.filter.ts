import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import type { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { toApiError } from './error-body.js';
import { requestOf } from './request-of.js';
import type { RoostRequest } from './roost-request.js';
import { errorHeaders } from './security-headers.js';

/** Writes every error body. Unknown errors say nothing to the client and everything to the log. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** What goes wrong elsewhere, in a resolver of GraphQL for example, is answered there. */
  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw error;
    const request = requestOf(host);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const failure = isBrokenOff(error, request)
      ? new BadRequestError('The body ended before it was complete.')
      : toApiError(error, this.config.dev);
    request.failure = failure;
    if (isUnexpected(failure)) {
      const cause = failure.cause ?? failure;
      const [text, stack] = cause instanceof Error ? [cause.message, cause.stack] : [String(cause)];
      this.logger.error(`${request.method} ${request.originalUrl.split('?')[0]}: ${text}`, stack);
    }
    if (reply.sent || reply.raw.headersSent) return;
    void reply
      .code(failure.status)
      .headers({ ...errorHeaders(reply), ...failure.headers })
      .type('application/json')
      .send(failure.toBody());
  }
}

/** A client that went away in the middle of its body, which a route reads by itself. No news to the operator either. */
function isBrokenOff(error: unknown, { raw }: RoostRequest): boolean {
  if (!raw.destroyed || raw.readableEnded || !(error instanceof Error)) return false;
  return error === raw.errored || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** A 503 said on purpose (stopping, restoring, too many streams) is the client's to handle and no news to the operator. */
function isUnexpected({ status, cause }: ApiError): boolean {
  return status === 500 || (status > 500 && cause !== undefined && !(cause instanceof HttpException));
}
