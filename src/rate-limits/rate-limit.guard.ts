import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteMetadata } from '../http/request/route-metadata.js';
import { RATE_LIMIT_LATER, RATE_LIMIT_TAGS } from '../http/request/rate-limit.decorators.js';
import { isHttp, requestOf } from '../http/request/request-of.js';
import { RateLimiter } from './rate-limiter.js';

/** How a route is limited: under these tags, or not here at all. */
interface RateLimitMetadata {
  readonly tags: readonly string[];
  readonly later: boolean;
}

/**
 * Refuses requests that exceed their limit with 429. Runs when caller and collection are known, before the body is read
 * (OPS-20).
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly metadata: RouteMetadata<RateLimitMetadata>;

  constructor(
    reflector: Reflector,
    private readonly limiter: RateLimiter,
  ) {
    this.metadata = new RouteMetadata((targets) => ({
      tags: reflector.getAllAndOverride<readonly string[] | undefined>(RATE_LIMIT_TAGS, targets) ?? [],
      later: reflector.get<boolean | undefined>(RATE_LIMIT_LATER, targets[0]) ?? false,
    }));
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.limiter.enabled || !isHttp(context)) return true;
    const { tags, later } = this.metadata.of(context);
    if (later) return true;
    const { caller, collection, method, url, startedAt } = requestOf(context);
    const counted = this.limiter.require({ tags, collection, method, url }, caller, startedAt);
    return counted ? counted.then(() => true) : true;
  }
}
