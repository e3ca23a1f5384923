import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { IpList } from '../http/ip-list.js';
import type { RoostRequest } from '../http/roost-request.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { SettingsService } from '../settings/settings.service.js';

/** Superusers only from the addresses of the setting `superuserIPs`, when there are some (AUTH-206). */
@Injectable()
export class SuperuserIpsGuard implements CanActivate {
  constructor(private readonly settings: SettingsService) {}

  canActivate(context: ExecutionContext): boolean {
    const { superuserIPs } = this.settings.get();
    if (superuserIPs.length === 0) return true;
    const { caller } = context.switchToHttp().getRequest<RoostRequest>();
    if (caller.isSuperuser && !IpList.of(superuserIPs).has(caller.ip)) {
      throw new ForbiddenError('Superusers may not sign in from this address.');
    }
    return true;
  }
}
