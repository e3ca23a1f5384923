import { Controller, Post } from '@nestjs/common';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentCollection } from '../../http/request/collection.decorators.js';
import { ApiOperation } from '../../http/dto/api-decorators.js';
import { CurrentForm, TypedForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { Caller } from '../../kernel/records/caller.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { EmailDto } from '../email.dto.js';
import { PasswordResetDto } from './password-reset.dto.js';
import { PasswordResetService } from './password-reset.service.js';

@Controller('api/collections/:collection')
export class PasswordResetController {
  constructor(private readonly passwordReset: PasswordResetService) {}

  @Post('request-password-reset')
  @AuthRoute({ tags: ['requestPasswordReset'], status: 204, refuses: withoutPasswords })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Have a password reset mailed' })
  request(
    @CurrentCollection() collection: Collection,
    @CurrentForm(EmailDto) { email }: EmailDto,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.passwordReset.request(collection, email, caller);
  }

  @Post('confirm-password-reset')
  @AuthRoute({ tags: ['confirmPasswordReset'], status: 204 })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Set a new password' })
  confirm(
    @CurrentCollection() collection: Collection,
    @TypedForm(PasswordResetDto) reset: PasswordResetDto,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.passwordReset.confirm(collection, reset, caller);
  }
}

function withoutPasswords({ auth }: Collection): BadRequestError | undefined {
  return auth!.passwordAuth.enabled ? undefined : new BadRequestError('Signing in with a password is switched off.');
}
