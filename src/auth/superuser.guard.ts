import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { RoostRequest } from '../http/roost-request.js';
import { requireCaller } from './require-caller.js';

/** `@UseGuards(SuperuserGuard)`: the same decision as `@RequireSuperuser()`. */
@Injectable()
export class SuperuserGuard implements CanActivate {
  /** True, or a throw of 401 or 403. */
  canActivate(context: ExecutionContext): boolean {
    requireCaller(context.switchToHttp().getRequest<RoostRequest>().caller, 'superuser');
    return true;
  }
}
