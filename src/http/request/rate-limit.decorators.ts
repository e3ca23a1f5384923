import { SetMetadata } from '@nestjs/common';

/** Metadata key of a route's rate limit tags. */
export const RATE_LIMIT_TAGS = 'roost:rate-limit-tags';

/** Tags (one word each, the more specific first) under which rate limit rules can name the route (OPS-21). */
export function RateLimitTag(...tags: readonly string[]): MethodDecorator & ClassDecorator {
  return SetMetadata(RATE_LIMIT_TAGS, tags);
}

/** Metadata key of routes that are limited by their service instead of by the guard. */
export const RATE_LIMIT_LATER = 'roost:rate-limit-later';

/** The route cannot be labelled before its body is read (a standalone upsert): its service asks the limiter. */
export function RateLimitLater(): MethodDecorator {
  return SetMetadata(RATE_LIMIT_LATER, true);
}
