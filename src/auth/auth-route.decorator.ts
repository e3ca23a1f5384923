import { applyDecorators, HttpCode, SetMetadata, UseGuards } from '@nestjs/common';
import { ForCollection } from '../http/request/collection.decorators.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ApiFields } from '../http/dto/api-answers.js';
import { RateLimitTag } from '../http/request/rate-limit.decorators.js';
import { AUTH_ROUTE, AuthRouteGuard, type AuthRouteMetadata } from './auth-route.guard.js';

/** What an auth endpoint asks of its collection and its caller. */
export interface AuthRouteOptions extends AuthRouteMetadata {
  /** Rate limit tags, the more specific first. */
  readonly tags: readonly string[];
  /** 200 when absent. */
  readonly status?: 200 | 204;
  /** False where the route itself obeys `?fields=`, which spares it an interceptor. */
  readonly picksFields?: boolean;
}

/**
 * An endpoint `/api/collections/:collection/<auth action>`. What can be refused without the body is refused in the
 * order of AUTH-104: unknown collection, rate limit, caller, type of the collection, method switched off.
 */
export function AuthRoute({ tags, status = 200, picksFields = true, ...metadata }: AuthRouteOptions): MethodDecorator {
  return applyDecorators(
    ForCollection(),
    RateLimitTag(...tags),
    SetMetadata(AUTH_ROUTE, metadata),
    UseGuards(AuthRouteGuard),
    HttpCode(status),
    picksFields ? PicksFields() : ApiFields(),
  );
}
