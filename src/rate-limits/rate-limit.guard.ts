import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RATE_LIMIT_LATER } from '../http/rate-limit-later.decorator.js';
import { RATE_LIMIT_TAGS } from '../http/rate-limit-tag.decorator.js';
import { requestOf } from '../http/request-of.js';
import { RateLimiter } from './rate-limiter.js';

/** How a route is limited: under these tags, or not here at all. */
interface RouteMarks {
  readonly tags: readonly string[];
  readonly later: boolean;
}

/** Refuses with 429 who asks too often. Runs when caller and collection are known, before the body is read (OPS-20). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly marks = new WeakMap<object, RouteMarks>();

  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.limiter.enabled) return true;
    const { tags, later } = this.marksOf(context);
    if (later) return true;
    const { caller, collection, method, url } = requestOf(context);
    const counted = this.limiter.require({ tags, collection, method, path: pathOf(url) }, caller);
    return counted ? counted.then(() => true) : true;
  }

  private marksOf(context: ExecutionContext): RouteMarks {
    const handler = context.getHandler();
    let marks = this.marks.get(handler);
    if (!marks) {
      const targets = [handler, context.getClass()];
      marks = {
        tags: this.reflector.getAllAndOverride<readonly string[] | undefined>(RATE_LIMIT_TAGS, targets) ?? [],
        later: this.reflector.get<boolean | undefined>(RATE_LIMIT_LATER, handler) ?? false,
      };
      this.marks.set(handler, marks);
    }
    return marks;
  }
}

/** The path of a request's URL as sent, without the query. */
function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
