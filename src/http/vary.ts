import type { FastifyReply } from 'fastify';

/** What every answer depends on besides its address (OPS-32). */
export const VARY_ALWAYS = 'Origin';

/** Says that this answer depends on another header of its request, too. */
export function alsoVaryOn(reply: FastifyReply, header: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], header].flat().join(', '));
}
