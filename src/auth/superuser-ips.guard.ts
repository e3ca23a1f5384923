import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { callerOf } from '../http/request/caller-of.js';
import { SuperuserIps } from './superuser-ips.js';

/** Lets superusers act from the listed addresses only (AUTH-206). */
@Injectable()
export class SuperuserIpsGuard implements CanActivate {
  constructor(private readonly superuserIps: SuperuserIps) {}

  canActivate(context: ExecutionContext): boolean {
    const caller = callerOf(context);
    this.superuserIps.require(caller.auth, caller.ip);
    return true;
  }
}
