import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { RoostRequest } from '../../http/roost-request.js';
import { SetupService } from './setup.service.js';

/** Few attempts to become the first superuser (AUTH-1207), counted before the body is read. */
@Injectable()
export class SetupThrottleGuard implements CanActivate {
  constructor(private readonly setup: SetupService) {}

  canActivate(context: ExecutionContext): boolean {
    this.setup.count(context.switchToHttp().getRequest<RoostRequest>().caller.ip);
    return true;
  }
}
