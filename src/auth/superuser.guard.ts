import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../http/request-of.js';
import { requireCaller } from './require-caller.js';

/** `@UseGuards(SuperuserGuard)`: the same decision as `@RequireSuperuser()`. */
@Injectable()
export class SuperuserGuard implements CanActivate {
  /** True, or a throw of 401 or 403. */
  canActivate(context: ExecutionContext): boolean {
    requireCaller(requestOf(context).caller, 'superuser');
    return true;
  }
}
