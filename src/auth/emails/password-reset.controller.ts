import { Controller, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { CurrentCollection } from '../../http/current-collection.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { Caller } from '../../kernel/records/caller.js';
import { readEmail, readForm } from '../auth-form.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { type PasswordReset, PasswordResetService } from './password-reset.service.js';

@Controller('api/collections/:collection')
export class PasswordResetController {
  constructor(private readonly passwordReset: PasswordResetService) {}

  @Post('request-password-reset')
  @AuthRoute({ tags: ['requestPasswordReset'], status: 204, refuses: withoutPasswords })
  @ReadsBody(SmallBodyLimit)
  request(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.passwordReset.request(collection, readEmail(body, caller), caller);
  }

  @Post('confirm-password-reset')
  @AuthRoute({ tags: ['confirmPasswordReset'], status: 204 })
  @ReadsBody(SmallBodyLimit)
  confirm(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.passwordReset.confirm(collection, readReset(body, caller), caller);
  }
}

function withoutPasswords({ auth }: Collection): BadRequestError | undefined {
  return auth!.passwordAuth.enabled ? undefined : new BadRequestError('Signing in with a password is switched off.');
}

function readReset(body: RequestBody, caller: Caller): PasswordReset {
  return readForm(body, caller, { token: 'text', password: 'text', passwordConfirm: 'text' });
}
