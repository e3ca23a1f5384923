import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { callerOf } from '../http/request/caller-of.js';
import { requireCaller } from '../http/request/require-caller.js';

/** `@UseGuards(AuthGuard)`: the same decision as `@RequireAuth()`, any auth collection. */
@Injectable()
export class AuthGuard implements CanActivate {
  /** True, or a throw of 401 or 403. */
  canActivate(context: ExecutionContext): boolean {
    requireCaller(callerOf(context), { collections: [] });
    return true;
  }
}
