import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isHttp, requestOf } from '../http/request-of.js';
import { SuperuserAddresses } from './superuser-addresses.js';

/** Lets superusers act from their addresses only (AUTH-206). */
@Injectable()
export class SuperuserIpsGuard implements CanActivate {
  constructor(private readonly addresses: SuperuserAddresses) {}

  canActivate(context: ExecutionContext): boolean {
    if (!isHttp(context)) return true;
    const { caller } = requestOf(context);
    this.addresses.require(caller.auth, caller.ip);
    return true;
  }
}
