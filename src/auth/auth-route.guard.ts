import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { requestOf } from '../http/request/request-of.js';
import type { ApiError } from '../kernel/errors/api-error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { Collection } from '../kernel/collections/collection.js';
import { requireCaller } from '../http/request/require-caller.js';

/** Metadata key of the AuthRouteMetadata. */
export const AUTH_ROUTE = 'roost:auth-route';

/** What `@AuthRoute` leaves to its guard. */
export interface AuthRouteMetadata {
  /** True when the caller must be a record of the collection: else 401 or 403. */
  readonly signedIn?: boolean;
  /** Why an auth collection does not take part, if it does not. */
  readonly refuses?: (collection: Collection) => ApiError | undefined;
}

/** Acts on `@AuthRoute`. */
@Injectable()
export class AuthRouteGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { signedIn, refuses } = this.reflector.get<AuthRouteMetadata>(AUTH_ROUTE, context.getHandler());
    const { caller, collection } = requestOf(context);
    if (signedIn) requireCaller(caller, { collections: [collection!.id] });
    if (!collection!.isAuth) throw new NotFoundError('This is not an auth collection.');
    const refusal = refuses?.(collection!);
    if (refusal) throw refusal;
    return true;
  }
}
