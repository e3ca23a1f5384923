import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { MarksByRoute } from '../http/marks-by-route.js';
import { REQUIRED_AUTH, type RequiredAuth } from '../http/require-auth.decorator.js';
import { isHttp, requestOf } from '../http/request-of.js';
import { Routes } from '../http/routes.js';
import { GUEST } from '../kernel/records/caller.js';
import { requireCaller } from './require-caller.js';

/** Acts on `@RequireAuth` and `@RequireSuperuser`. */
@Injectable()
export class RouteAccessGuard implements CanActivate {
  private readonly required: MarksByRoute<RequiredAuth | null>;

  constructor(reflector: Reflector, routes: Routes) {
    this.required = new MarksByRoute(
      routes,
      (targets) => reflector.getAllAndOverride<RequiredAuth | undefined>(REQUIRED_AUTH, targets) ?? null,
    );
  }

  canActivate(context: ExecutionContext): boolean {
    const required = this.required.of(context);
    // Elsewhere nobody knows who is calling, and what asks for it stays closed.
    if (required) requireCaller(isHttp(context) ? requestOf(context).caller : GUEST, required);
    return true;
  }
}
