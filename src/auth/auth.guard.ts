import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../http/request-of.js';
import { requireCaller } from './require-caller.js';

/** `@UseGuards(AuthGuard)`: the same decision as `@RequireAuth()`, any auth collection. */
@Injectable()
export class AuthGuard implements CanActivate {
  /** True, or a throw of 401 or 403. */
  canActivate(context: ExecutionContext): boolean {
    requireCaller(requestOf(context).caller, { collections: [] });
    return true;
  }
}
