import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { BodyInterceptor } from './body.interceptor.js';
import type { BodyLimit } from './body-limit.js';
import { BODY_LIMIT } from './body-limit.mark.js';

/**
 * Lets a route have a body: it is read after the guards passed, as JSON, multipart or urlencoded, and handed over by
 * `@CurrentBody()`. `limit` is a provider that says how much the route takes; without one 32 MiB and no files.
 */
export function ReadsBody(limit?: Type<BodyLimit>): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_LIMIT, limit), UseInterceptors(BodyInterceptor));
}
