import { SetMetadata } from '@nestjs/common';

/** Metadata key of a route's rate limit tags. */
export const RATE_LIMIT_TAGS = 'roost:rate-limit-tags';

/** Tags (one word each, the more specific first) under which rate limit rules can name the route (OPS-21). */
export function RateLimitTag(...tags: readonly string[]): MethodDecorator & ClassDecorator {
  return SetMetadata(RATE_LIMIT_TAGS, tags);
}
