import type { FastifyRequest } from 'fastify';
import type { RequestContext, RequestInfo } from '../../kernel/records/request-info.js';
import { queryValues } from './query-value.js';

/** A RequestInfo over a Fastify request: headers and query are translated when a rule first asks for them. */
export class HttpRequestInfo implements RequestInfo {
  readonly context: RequestContext = 'default';
  readonly body: Readonly<Record<string, unknown>> = {};
  private queryCache: Readonly<Record<string, string>> | undefined;
  private headersCache: Readonly<Record<string, string>> | undefined;

  constructor(private readonly request: FastifyRequest) {}

  get method(): string {
    return this.request.method === 'HEAD' ? 'GET' : this.request.method;
  }

  get query(): Readonly<Record<string, string>> {
    return (this.queryCache ??= queryValues(this.request.query));
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.headersCache ??= ruleHeaders(this.request.headers));
  }

  get isAbandoned(): boolean {
    const { socket } = this.request.raw as { socket: { readonly destroyed?: boolean } | null };
    // Injected requests have a socket without `destroyed`.
    return socket === null || socket.destroyed === true;
  }
}

/** Header names as rules write them: lower-cased, `_` for `-`; the first value of each. */
export function ruleHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string') values[name.toLowerCase().replaceAll('-', '_')] = first;
  }
  return values;
}
