import { applyDecorators, HttpCode, SetMetadata, UseGuards } from '@nestjs/common';
import { ForCollection } from '../http/for-collection.decorator.js';
import { PicksFields } from '../http/picks-fields.decorator.js';
import { RateLimitTag } from '../http/rate-limit-tag.decorator.js';
import type { ApiError } from '../kernel/errors/api-error.js';
import type { Collection } from '../kernel/collections/collection.js';
import { AUTH_ROUTE, AuthRouteGuard } from './auth-route.guard.js';

/** What an auth endpoint asks of its collection and its caller. */
export interface AuthRouteOptions {
  /** Rate limit tags, the more specific first. */
  readonly tags: readonly string[];
  /** 200 when absent. */
  readonly status?: 200 | 204;
  /** True when the caller must be a record of the collection: else 401 or 403. */
  readonly signedIn?: boolean;
  /** Why an auth collection does not take part, if it does not. */
  readonly refuses?: (collection: Collection) => ApiError | undefined;
}

/**
 * An endpoint `/api/collections/:collection/<auth action>`. What can be refused without the body is refused in the
 * order of AUTH-104: unknown collection, rate limit, caller, type of the collection, method switched off.
 */
export function AuthRoute({ tags, status = 200, ...marks }: AuthRouteOptions): MethodDecorator {
  return applyDecorators(
    ForCollection(),
    RateLimitTag(...tags),
    SetMetadata(AUTH_ROUTE, marks),
    UseGuards(AuthRouteGuard),
    HttpCode(status),
    PicksFields(),
  );
}
