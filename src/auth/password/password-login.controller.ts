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
import { oneOf } from '../../kernel/validation/rules.js';
import { readForm, requiredText, requireShape, senderOf } from '../auth-form.js';
import type { AuthResult } from '../auth-results.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { mfaIdOf } from '../mfa/mfa-id.js';
import { type PasswordLogin, PasswordLoginService } from './password-login.service.js';

@Controller('api/collections/:collection')
export class PasswordLoginController {
  constructor(private readonly logins: PasswordLoginService) {}

  @Post('auth-with-password')
  @AuthRoute({ tags: ['authWithPassword', 'auth'], refuses: withoutPasswords })
  @ReadsBody(SmallBodyLimit)
  login(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.logins.login(collection, readLogin(collection, body, caller), senderOf(body, caller));
  }
}

function withoutPasswords({ auth }: Collection): ForbiddenError | undefined {
  return auth!.passwordAuth.enabled ? undefined : new ForbiddenError('Signing in with a password is switched off.');
}

function readLogin(collection: Collection, body: RequestBody, caller: Caller): PasswordLogin {
  const form = readForm(body, caller, { identity: 'text', password: 'text', identityField: 'text' });
  requireShape(form, {
    identity: requiredText(255),
    password: requiredText(255),
    identityField: oneOf(...collection.auth!.passwordAuth.identityFields),
  });
  return { ...form, mfaId: mfaIdOf(body, caller) };
}
