import type { FastifyReply, FastifyRequest } from 'fastify';
import { PresetHeaders } from './preset-headers.js';

const TO_NOBODY = new PresetHeaders({ vary: 'Origin' });
const TO_ALLOWED = TO_NOBODY.and(new PresetHeaders({ 'access-control-expose-headers': 'Retry-After' }));
const TO_ANYBODY = TO_ALLOWED.and(new PresetHeaders({ 'access-control-allow-origin': '*' }));

/** Cross-origin rules of OPS-32, made once from the configured origins. */
export class Cors {
  private readonly any: boolean;
  private readonly patterns: readonly RegExp[];

  constructor(origins: readonly string[]) {
    this.any = origins.includes('*');
    this.patterns = origins.map((origin) => wildcard(origin));
  }

  /** The headers of the answer to this origin, `Vary` included. One that is allowed by its name is set on the reply. */
  headers(reply: FastifyReply, origin: string | undefined): PresetHeaders {
    if (!origin || !this.allows(origin)) return TO_NOBODY;
    if (this.any) return TO_ANYBODY;
    reply.header('access-control-allow-origin', origin);
    return TO_ALLOWED;
  }

  /** Answers any OPTIONS with 204; true when it did. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.method !== 'OPTIONS') return false;
    const { origin } = request.headers;
    if (origin && this.allows(origin)) {
      reply
        .header('access-control-allow-methods', 'GET,HEAD,PUT,PATCH,POST,DELETE')
        .header('access-control-max-age', '600');
      const asked = request.headers['access-control-request-headers'];
      if (asked) reply.header('access-control-allow-headers', asked);
    }
    void reply.code(204).send();
    return true;
  }

  private allows(origin: string): boolean {
    return this.any || this.patterns.some((pattern) => pattern.test(origin));
  }
}

function wildcard(entry: string): RegExp {
  const source = entry.replace(/[.*+?^${}()|[\]\\]/g, (char) =>
    char === '*' ? '.*' : char === '?' ? '.' : `\\${char}`,
  );
  return new RegExp(`^${source}$`, 'i');
}
