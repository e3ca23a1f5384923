import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { callerOf } from './caller-of.js';
import { RouteMetadata } from './route-metadata.js';
import { requireCaller, REQUIRED_AUTH, type RequiredAuth } from './require-caller.js';

/** Acts on `@RequireAuth` and `@RequireSuperuser`, in every transport. */
@Injectable()
export class RouteAccessGuard implements CanActivate {
  private readonly required: RouteMetadata<RequiredAuth | null>;

  constructor(reflector: Reflector) {
    this.required = new RouteMetadata(
      (targets) => reflector.getAllAndOverride<RequiredAuth | undefined>(REQUIRED_AUTH, targets) ?? null,
    );
  }

  canActivate(context: ExecutionContext): boolean {
    const required = this.required.of(context);
    if (required) requireCaller(callerOf(context), required);
    return true;
  }
}
