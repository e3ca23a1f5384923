import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../kernel/errors/api-error.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RequestBody } from '../body/request-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its head had been read, by `performance.now()`. */
    startedAt: number;
    /** Who acts; set by AuthenticationGuard before any other guard runs. */
    caller: Caller;
    /** The collection of the path, on routes marked with `@ForCollection()`; set before the rate limit is asked. */
    collection: Collection | null;
    /** What was read of the body; null until a route that reads one has its turn. */
    requestBody: RequestBody | null;
    /** The bytes of the body, on routes marked with `@ReadsRawBody()`. */
    rawBody?: Buffer;
    /** The failure this request was answered with, for the request log. */
    failure: ApiError | Error | null;
    /** What extension code wants to see in the request log beside the usual values. */
    logMeta: Record<string, unknown> | null;
    /** True when a file was served that is no part of the API; such requests are logged only when they fail. */
    isStatic: boolean;
  }
}

/** A request as controllers, guards and interceptors see it. */
export type RoostRequest = FastifyRequest;
