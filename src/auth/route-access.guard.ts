import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { MarksByRoute } from '../http/marks-by-route.js';
import { REQUIRED_AUTH, type RequiredAuth } from '../http/require-auth.decorator.js';
import { requestOf } from '../http/request-of.js';
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
    if (required) requireCaller(requestOf(context).caller, required);
    return true;
  }
}
