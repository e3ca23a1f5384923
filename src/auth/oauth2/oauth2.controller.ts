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
import { readForm, senderOf } from '../auth-form.js';
import type { AuthResult } from '../auth-results.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { mfaIdOf } from '../mfa/mfa-id.js';
import { type OAuth2Login, OAuth2Service } from './oauth2.service.js';

@Controller('api/collections/:collection')
export class OAuth2Controller {
  constructor(private readonly oauth2: OAuth2Service) {}

  @Post('auth-with-oauth2')
  @AuthRoute({ tags: ['authWithOAuth2', 'auth'], refuses: withoutOAuth2 })
  @ReadsBody(SmallBodyLimit)
  login(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.oauth2.login(collection, readLogin(body, caller), senderOf(body, caller));
  }
}

function withoutOAuth2({ auth }: Collection): ForbiddenError | undefined {
  return auth!.oauth2.enabled ? undefined : new ForbiddenError('Signing in with OAuth2 is switched off.');
}

function readLogin(body: RequestBody, caller: Caller): OAuth2Login {
  const { redirectUrl, ...form } = readForm(body, caller, {
    provider: 'text',
    code: 'text',
    codeVerifier: 'text',
    redirectURL: 'text',
    redirectUrl: 'text',
    createData: 'object',
  });
  return { ...form, redirectURL: form.redirectURL || redirectUrl, mfaId: mfaIdOf(body, caller) };
}
