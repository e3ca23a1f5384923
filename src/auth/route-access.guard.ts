import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { MarksByRoute } from '../http/marks-by-route.js';
import { REQUIRED_AUTH, type RequiredAuth } from '../http/require-auth.decorator.js';
import { isHttp, requestOf } from '../http/request-of.js';
import { GUEST } from '../kernel/records/caller.js';
import { requireCaller } from './require-caller.js';

/** Acts on `@RequireAuth` and `@RequireSuperuser`. */
@Injectable()
export class RouteAccessGuard implements CanActivate {
  private readonly required: MarksByRoute<RequiredAuth | undefined>;

  constructor(reflector: Reflector) {
    this.required = new MarksByRoute((targets) => reflector.getAllAndOverride(REQUIRED_AUTH, targets));
  }

  canActivate(context: ExecutionContext): boolean {
    const required = this.required.of(context);
    // Elsewhere nobody knows who is calling, and what asks for it stays closed.
    if (required) requireCaller(isHttp(context) ? requestOf(context).caller : GUEST, required);
    return true;
  }
}
