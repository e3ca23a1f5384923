import { AsyncLocalStorage } from 'node:async_hooks';
import type { ArgumentsHost } from '@nestjs/common';
import { Caller, GUEST } from '../../kernel/records/caller.js';
import { isHttp, requestOf } from './request-of.js';
import type { RoostRequest } from './roost-request.js';

const ambient = new AsyncLocalStorage<Caller>();

/**
 * Runs work as a caller that a transport of one's own has identified: `callerOf`, `@CurrentCaller()`, `@CurrentAuth()`
 * and `@RequireAuth()` find it in every handler called inside. In HTTP requests the request says who is calling.
 * Services are told as ever, by `as`. Throws a TypeError when there is no caller.
 */
export function runAs<T>(caller: Caller, work: () => T): T {
  if (!(caller instanceof Caller)) throw new TypeError('runAs needs a Caller, GUEST for nobody in particular.');
  return ambient.run(caller, work);
}

/**
 * Who is calling, in any transport: the caller of the request in HTTP, and in GraphQL over HTTP; elsewhere the one of
 * `runAs`. The guest when nobody knows, never undefined.
 */
export function callerOf(context: ArgumentsHost): Caller {
  if (isHttp(context)) return requestOf(context).caller ?? GUEST;
  return ambient.getStore() ?? carriedRequest(context)?.caller ?? GUEST;
}

/**
 * The HTTP request that a resolver of GraphQL works for, undefined where there is none. The libraries keep it in their
 * context under names of their own: itself, or its reply.
 */
export function carriedRequest(context: ArgumentsHost): RoostRequest | undefined {
  if (context.getType<string>() !== 'graphql') return undefined;
  const graphql = context.getArgByIndex<unknown>(2);
  if (typeof graphql !== 'object' || graphql === null) return undefined;
  for (const value of Object.values(graphql)) {
    if (isRequest(value)) return value;
    const { request } = (value ?? {}) as { request?: unknown };
    if (isRequest(request)) return request;
  }
  return undefined;
}

/** Requests of this application's own server have a `caller`; nothing else in a GraphQL context has one. */
function isRequest(value: unknown): value is RoostRequest {
  return typeof value === 'object' && value !== null && (value as RoostRequest).caller instanceof Caller;
}
