import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { untouchedParameter } from './untouched-parameter.js';

/** An AbortSignal that fires when the client goes away before it was answered: for work that is then pointless. */
export const DisconnectSignal = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
    const { raw } = context.switchToHttp().getResponse<FastifyReply>();
    const controller = new AbortController();
    // The client may have disconnected before the signal was asked for.
    if (raw.closed) controller.abort();
    raw.once('close', () => {
      if (!raw.writableFinished) controller.abort();
    });
    return controller.signal;
  }),
);
