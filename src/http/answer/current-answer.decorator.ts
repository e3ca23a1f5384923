import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerMemory, type AnswerShare, SMALL_ANSWER } from './answer-memory.js';
import { clientOf } from '../request/client-ip.js';
import { untouchedParameter } from '../request/untouched-parameter.js';

declare module 'fastify' {
  interface FastifyInstance {
    answerMemory: AnswerMemory;
  }
}

/** Gives the memory share of an answer. Most answers are small and never ask for it. */
export type AnswerShareSource = () => AnswerShare;

/** The source of the share of the answer to a request. */
export const CurrentAnswer = untouchedParameter(
  createParamDecorator(
    (_data: unknown, context: ExecutionContext): AnswerShareSource =>
      () =>
        shareOf(context.getArgByIndex<FastifyRequest>(0), context.getArgByIndex<FastifyReply>(1)),
  ),
);

/**
 * Lets large answers that are sent in one piece wait for memory, and counts their written size instead of the estimate.
 * Streams are not counted: they are made as fast as they are read.
 */
export function addAnswerMemory(fastify: FastifyInstance, memory: AnswerMemory): void {
  fastify.decorate('answerMemory', memory);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!isLarge(payload)) return done(null, payload);
    // As bytes: of a text that is read slowly Node would keep both the text and its bytes.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const share = shareOf(request, reply);
    if (!share.tryTake(bytes.length)) return share.take(bytes.length).then(() => bytes);
    done(null, bytes);
  });
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > SMALL_ANSWER;
}

function shareOf(request: FastifyRequest, reply: FastifyReply): AnswerShare {
  return request.server.answerMemory.shareOf(reply.raw, clientOf(request.caller.ip));
}
