import type { FastifyReply } from 'fastify';

/** Says that this answer depends on another header of its request, too. */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`);
}
