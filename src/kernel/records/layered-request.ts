import type { RequestContext, RequestInfo } from './request-info.js';

/** A request with some parts replaced. The original is read only for the others. */
export class LayeredRequest implements RequestInfo {
  constructor(
    private readonly base: RequestInfo,
    private readonly over: Partial<RequestInfo>,
  ) {}

  get context(): RequestContext {
    return this.over.context ?? this.base.context;
  }

  get method(): string {
    return this.over.method ?? this.base.method;
  }

  get query(): Readonly<Record<string, string>> {
    return this.over.query ?? this.base.query;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.over.headers ?? this.base.headers;
  }

  get body(): Readonly<Record<string, unknown>> {
    return this.over.body ?? this.base.body;
  }

  get isAbandoned(): boolean {
    return this.base.isAbandoned ?? false;
  }
}
