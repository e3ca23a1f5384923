import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { REQUIRED_AUTH, type RequiredAuth } from '../http/require-auth.decorator.js';
import { requestOf } from '../http/request-of.js';
import { requireCaller } from './require-caller.js';

/** Acts on `@RequireAuth` and `@RequireSuperuser`. */
@Injectable()
export class RouteAccessGuard implements CanActivate {
  private readonly marks = new WeakMap<object, RequiredAuth | null>();

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const required = this.requiredBy(context);
    if (required) requireCaller(requestOf(context).caller, required);
    return true;
  }

  private requiredBy(context: ExecutionContext): RequiredAuth | null {
    const handler = context.getHandler();
    let required = this.marks.get(handler);
    if (required === undefined) {
      required =
        this.reflector.getAllAndOverride<RequiredAuth | undefined>(REQUIRED_AUTH, [handler, context.getClass()]) ??
        null;
      this.marks.set(handler, required);
    }
    return required;
  }
}
