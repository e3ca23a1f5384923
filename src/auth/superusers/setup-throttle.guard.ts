import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../../http/request/request-of.js';
import { SetupService } from './setup.service.js';

/** Few attempts to become the first superuser (AUTH-1207), counted before the body is read. */
@Injectable()
export class SetupThrottleGuard implements CanActivate {
  constructor(private readonly setup: SetupService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.setup.countAttempt(requestOf(context).caller.ip);
    return true;
  }
}
