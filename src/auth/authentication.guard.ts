import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { carriedRequest } from '../http/request/caller-of.js';
import { ClientIp } from '../http/request/client-ip.js';
import { HttpRequestInfo } from '../http/request/http-request-info.js';
import { isHttp, requestOf } from '../http/request/request-of.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AuthRecords } from '../records/auth-records.js';
import { bearerToken } from './bearer-token.js';

/** Finds out who is calling and puts the Caller on the request. Never refuses: a bad token is a guest (AUTH-202). */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authRecords: AuthRecords,
    private readonly clientIp: ClientIp,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = isHttp(context) ? requestOf(context) : carriedRequest(context);
    if (!request) return true;
    const token = bearerToken(request.headers.authorization);
    // Most requests come from guests; they need no promise.
    if (token === '') return this.identify(request, null);
    return this.authRecords.findByToken(token, 'auth').then((auth) => this.identify(request, auth));
  }

  private identify(request: RoostRequest, auth: RecordModel | null): boolean {
    request.caller = new Caller(auth, new HttpRequestInfo(request), this.clientIp.of(request.raw));
    return true;
  }
}
