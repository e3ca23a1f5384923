import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { RoostRequest } from '../http/roost-request.js';
import { requireCaller } from './require-caller.js';

/** `@UseGuards(AuthGuard)`: the same decision as `@RequireAuth()`, any auth collection. */
@Injectable()
export class AuthGuard implements CanActivate {
  /** True, or a throw of 401 or 403. */
  canActivate(context: ExecutionContext): boolean {
    requireCaller(context.switchToHttp().getRequest<RoostRequest>().caller, { collections: [] });
    return true;
  }
}
