import { Controller, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/body/current-body.decorator.js';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentCollection } from '../../http/request/collection.decorators.js';
import { ApiOperation } from '../../http/dto/api-decorators.js';
import { TypedForm } from '../../http/dto/current-form.decorator.js';
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
import { PasswordLoginDto } from './password-login.dto.js';
import { PasswordLoginService } from './password-login.service.js';

@Controller('api/collections/:collection')
export class PasswordLoginController {
  constructor(private readonly logins: PasswordLoginService) {}

  @Post('auth-with-password')
  @AuthRoute({ tags: ['authWithPassword', 'auth'], refuses: withoutPasswords })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Sign in with a password' })
  @ApiAuthResult()
  login(
    @CurrentCollection() collection: Collection,
    @TypedForm(PasswordLoginDto) login: PasswordLoginDto,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.logins.login(collection, login, senderOf(body, caller));
  }
}

function withoutPasswords({ auth }: Collection): ForbiddenError | undefined {
  return auth!.passwordAuth.enabled ? undefined : new ForbiddenError('Signing in with a password is switched off.');
}
