import { Controller, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { CurrentCollection } from '../../http/current-collection.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { Collection } from '../../kernel/collections/collection.js';
import { ForbiddenError } from '../../kernel/errors/forbidden.error.js';
import { Caller } from '../../kernel/records/caller.js';
import { readEmail, readForm, requiredText, requireShape, senderOf } from '../auth-form.js';
import type { AuthResult } from '../auth-results.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { mfaIdOf } from '../mfa/mfa-id.js';
import { type OtpLogin, OtpLoginService } from './otp-login.service.js';
import { OtpRequestsService } from './otp-requests.service.js';

@Controller('api/collections/:collection')
export class OtpController {
  constructor(
    private readonly requests: OtpRequestsService,
    private readonly logins: OtpLoginService,
  ) {}

  @Post('request-otp')
  @AuthRoute({ tags: ['requestOTP'], refuses: withoutOtps })
  @ReadsBody(SmallBodyLimit)
  request(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<{ otpId: string }> {
    return this.requests.request(collection, readEmail(body, caller), caller);
  }

  @Post('auth-with-otp')
  @AuthRoute({ tags: ['authWithOTP', 'auth'], refuses: withoutOtps })
  @ReadsBody(SmallBodyLimit)
  login(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.logins.login(collection, readLogin(body, caller), senderOf(body, caller));
  }
}

function withoutOtps({ auth }: Collection): ForbiddenError | undefined {
  return auth!.otp.enabled ? undefined : new ForbiddenError('Signing in with a one-time password is switched off.');
}

function readLogin(body: RequestBody, caller: Caller): OtpLogin {
  const form = readForm(body, caller, { otpId: 'text', password: 'text' });
  requireShape(form, { otpId: requiredText(255), password: requiredText(71) });
  return { ...form, mfaId: mfaIdOf(body, caller) };
}
