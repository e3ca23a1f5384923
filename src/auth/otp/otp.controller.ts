import { Controller, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/body/current-body.decorator.js';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentCollection } from '../../http/request/collection.decorators.js';
import { ApiOkResponse, ApiOperation } from '../../http/dto/api-decorators.js';
import { CurrentForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import type { RequestBody } from '../../http/body/request-body.js';
import { Collection } from '../../kernel/collections/collection.js';
import { ForbiddenError } from '../../kernel/errors/forbidden.error.js';
import { Caller } from '../../kernel/records/caller.js';
import { ApiAuthResult } from '../auth-answers.js';
import { senderOf } from '../sender.js';
import type { AuthResult } from '../auth-results.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { EmailDto } from '../email.dto.js';
import { OtpLoginService } from './otp-login.service.js';
import { OtpRequestsService } from './otp-requests.service.js';
import { OtpLoginDto, RequestedOtp } from './otp.dto.js';

@Controller('api/collections/:collection')
export class OtpController {
  constructor(
    private readonly requests: OtpRequestsService,
    private readonly logins: OtpLoginService,
  ) {}

  @Post('request-otp')
  @AuthRoute({ tags: ['requestOTP'], refuses: withoutOtps })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Have a one-time password mailed' })
  @ApiOkResponse({ type: RequestedOtp })
  request(
    @CurrentCollection() collection: Collection,
    @CurrentForm(EmailDto) { email }: EmailDto,
    @CurrentCaller() caller: Caller,
  ): Promise<RequestedOtp> {
    return this.requests.request(collection, email, caller);
  }

  @Post('auth-with-otp')
  @AuthRoute({ tags: ['authWithOTP', 'auth'], refuses: withoutOtps })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Sign in with a one-time password' })
  @ApiAuthResult()
  login(
    @CurrentCollection() collection: Collection,
    @CurrentForm(OtpLoginDto) login: OtpLoginDto,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.logins.login(collection, login, senderOf(body, caller));
  }
}

function withoutOtps({ auth }: Collection): ForbiddenError | undefined {
  return auth!.otp.enabled ? undefined : new ForbiddenError('Signing in with a one-time password is switched off.');
}
