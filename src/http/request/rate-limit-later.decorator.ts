import { SetMetadata } from '@nestjs/common';

/** Metadata key of routes that are limited by their service instead of by the guard. */
export const RATE_LIMIT_LATER = 'roost:rate-limit-later';

/** The route cannot be labelled before its body is read (a standalone upsert): its service asks the limiter. */
export function RateLimitLater(): MethodDecorator {
  return SetMetadata(RATE_LIMIT_LATER, true);
}
