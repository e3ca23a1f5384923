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
import { OAuth2LoginDto } from './oauth2-login.dto.js';
import { OAuth2Service } from './oauth2.service.js';

@Controller('api/collections/:collection')
export class OAuth2Controller {
  constructor(private readonly oauth2: OAuth2Service) {}

  @Post('auth-with-oauth2')
  @AuthRoute({ tags: ['authWithOAuth2', 'auth'], refuses: withoutOAuth2 })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Sign in with the code of an OAuth2 provider' })
  @ApiAuthResult()
  login(
    @CurrentCollection() collection: Collection,
    @TypedForm(OAuth2LoginDto) login: OAuth2LoginDto,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.oauth2.login(collection, login, senderOf(body, caller));
  }
}

function withoutOAuth2({ auth }: Collection): ForbiddenError | undefined {
  return auth!.oauth2.enabled ? undefined : new ForbiddenError('Signing in with OAuth2 is switched off.');
}
