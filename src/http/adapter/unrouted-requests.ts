import type { FastifyReply, FastifyRequest } from 'fastify';

/** What could be read of something that never became a request. */
export interface BrokenRequest {
  readonly method: string;
  readonly url: string;
  readonly failure: Error;
  readonly status: number;
  readonly remoteAddress: string;
}

/** Hears of the requests that are over before any hook of Fastify sees them; the request log is one. */
export interface UnroutedRequests {
  /** Its address cannot be decoded or is too long. It was answered. */
  refused(request: FastifyRequest, reply: FastifyReply): void;
  /** Its head is malformed, too large or too slow. */
  broken(request: BrokenRequest): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    unrouted: UnroutedRequests | null;
  }
}
