import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

type Answer = ReturnType<FastifyAdapter['reply']>;

/**
 * Nest's adapter, quicker for what almost every answer is: a plain object. Nest asks of each body whether it is a stream
 * or an error, and of each reply whether it is one and of which type, before it hands both to Fastify.
 */
export class RoostAdapter extends FastifyAdapter {
  override reply(response: Parameters<FastifyAdapter['reply']>[0], body: unknown, statusCode?: number): Answer {
    if (!isPlainObject(body) || statusCode !== undefined || !isSuccess(response)) {
      return super.reply(response, body, statusCode);
    }
    return response.send(body) as unknown as Answer;
  }
}

function isPlainObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && body.constructor === Object;
}

/** Whether this is a reply of Fastify, which Node's own responses are not, and stands for no failure. */
function isSuccess(response: object): response is FastifyReply {
  return 'send' in response && (response as FastifyReply).statusCode < 400;
}
