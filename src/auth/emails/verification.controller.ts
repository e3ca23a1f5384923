import { Controller, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { CurrentCollection } from '../../http/current-collection.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { Collection } from '../../kernel/collections/collection.js';
import { Caller } from '../../kernel/records/caller.js';
import { required } from '../../kernel/validation/rules.js';
import { readEmail, readForm, requireShape } from '../auth-form.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { notForSuperusers } from '../superusers/not-for-superusers.js';
import { VerificationService } from './verification.service.js';

@Controller('api/collections/:collection')
export class VerificationController {
  constructor(private readonly verification: VerificationService) {}

  @Post('request-verification')
  @AuthRoute({ tags: ['requestVerification'], status: 204, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  request(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.verification.request(collection, readEmail(body, caller), caller);
  }

  @Post('confirm-verification')
  @AuthRoute({ tags: ['confirmVerification'], status: 204, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  confirm(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.verification.confirm(collection, readToken(body, caller), caller);
  }
}

function readToken(body: RequestBody, caller: Caller): string {
  const form = readForm(body, caller, { token: 'text' });
  requireShape(form, { token: required });
  return form.token;
}
