import type { FastifyReply, FastifyRequest } from 'fastify';

type Headers = Readonly<Record<string, string>>;

const SAME_ORIGIN: Headers = { vary: 'Origin' };

/** Cross-origin rules of OPS-32, made once from the configured origins. */
export class Cors {
  private readonly any: boolean;
  private readonly patterns: readonly RegExp[];

  constructor(origins: readonly string[]) {
    this.any = origins.includes('*');
    this.patterns = origins.map((origin) => wildcard(origin));
  }

  /** Response headers for this request, `Vary` included. Also for replies written past Fastify. */
  headers(origin: string | undefined): Headers {
    if (origin === undefined || !this.allows(origin)) return SAME_ORIGIN;
    return {
      ...SAME_ORIGIN,
      'access-control-allow-origin': this.any ? '*' : origin,
      'access-control-expose-headers': 'Retry-After',
    };
  }

  /** Answers any OPTIONS with 204; true when it did. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.method !== 'OPTIONS') return false;
    const { origin } = request.headers;
    if (origin !== undefined && this.allows(origin)) {
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
