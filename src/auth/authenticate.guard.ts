import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ClientIp } from '../http/client-ip.js';
import { HttpRequestInfo } from '../http/http-request-info.js';
import type { RoostRequest } from '../http/roost-request.js';
import { Caller } from '../kernel/records/caller.js';
import { AuthRecords } from '../records/auth-records.js';
import { bearerToken } from './bearer-token.js';

/** Finds out who is calling and puts the Caller on the request. Never refuses: a bad token is a guest (AUTH-202). */
@Injectable()
export class AuthenticateGuard implements CanActivate {
  constructor(
    private readonly authRecords: AuthRecords,
    private readonly clientIp: ClientIp,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RoostRequest>();
    const token = bearerToken(request.headers.authorization);
    const auth = token === '' ? null : await this.authRecords.findByToken(token, 'auth');
    request.caller = new Caller(auth, new HttpRequestInfo(request), this.clientIp.of(request.raw));
    return true;
  }
}
