import type { FastifyReply } from 'fastify';

/** Says that this answer depends on another header of its request, too. */
export function addVary(reply: FastifyReply, header: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], header].flat().join(', '));
}
