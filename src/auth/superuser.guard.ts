import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { callerOf } from '../http/request/caller-of.js';
import { requireCaller } from '../http/request/require-caller.js';

/** `@UseGuards(SuperuserGuard)`: the same decision as `@RequireSuperuser()`. */
@Injectable()
export class SuperuserGuard implements CanActivate {
  /** True, or a throw of 401 or 403. */
  canActivate(context: ExecutionContext): boolean {
    requireCaller(callerOf(context), 'superuser');
    return true;
  }
}
