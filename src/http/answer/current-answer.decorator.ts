import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerRoom, type AnswerShare, SMALL_ANSWER } from './answer-room.js';
import { clientOf } from '../request/client-ip.js';
import { untouchedParameter } from '../request/untouched-parameter.js';

declare module 'fastify' {
  interface FastifyInstance {
    answerRoom: AnswerRoom;
  }
}

/** Gives what an answer has of the room for large ones. Most answers are small and never ask. */
export type AnswerShareSource = () => AnswerShare;

/** The source of the share of the answer to a request. */
export const CurrentAnswer = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): AnswerShareSource => {
    const http = context.switchToHttp();
    return () => shareOf(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }),
);

/**
 * Lets large answers that are there as a whole wait for room, whoever made them, and counts what they are now that they
 * are written: what was made of the rows is gone. Streams are made as fast as they are read.
 */
export function addAnswerRoom(fastify: FastifyInstance, room: AnswerRoom): void {
  fastify.decorate('answerRoom', room);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (isLarge(payload)) {
      const share = shareOf(request, reply);
      if (!share.takeNow(payload.length)) return share.take(payload.length).then(() => payload);
    }
    done(null, payload);
  });
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > SMALL_ANSWER;
}

function shareOf(request: FastifyRequest, reply: FastifyReply): AnswerShare {
  return request.server.answerRoom.shareOf(reply.raw, clientOf(request.caller.ip));
}
