import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { BodyInterceptor } from './body.interceptor.js';
import { BODY_LIMIT, type BodyLimit } from './body-limit.js';
import { RAW_BODY_BYTES, RawBodyInterceptor } from './raw-body.interceptor.js';

/**
 * Lets a route have a body: it is read after the guards passed, as JSON, multipart or urlencoded, and handed over by
 * `@CurrentBody()`. `limit` is a provider that says how much the route takes; without one 32 MiB and no files.
 */
export function ReadsBody(limit?: Type<BodyLimit>): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_LIMIT, limit), UseInterceptors(BodyInterceptor));
}

/** How much of a raw body a route takes. */
export interface RawBodyOptions {
  /** More is a 413; 32 MiB when absent. */
  readonly maxBytes?: number;
}

/**
 * Lets a route have the very bytes of its body, for example to check a signature over them: Nest's `@RawBody()`, or
 * `request.rawBody`, is a Buffer. They are read after the guards passed. `@Body()` and `@CurrentBody()` have the values
 * where the bytes are well-formed JSON or an urlencoded form, and none otherwise.
 */
export function ReadsRawBody({ maxBytes }: RawBodyOptions = {}): MethodDecorator {
  return applyDecorators(SetMetadata(RAW_BODY_BYTES, maxBytes), UseInterceptors(RawBodyInterceptor));
}
