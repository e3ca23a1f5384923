import { Controller, Post } from '@nestjs/common';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentCollection } from '../../http/request/collection.decorators.js';
import { ApiOperation } from '../../http/dto/api-decorators.js';
import { CurrentForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { Collection } from '../../kernel/collections/collection.js';
import { Caller } from '../../kernel/records/caller.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { EmailDto } from '../email.dto.js';
import { notForSuperusers } from '../superusers/not-for-superusers.js';
import { VerificationDto } from './verification.dto.js';
import { VerificationService } from './verification.service.js';

@Controller('api/collections/:collection')
export class VerificationController {
  constructor(private readonly verification: VerificationService) {}

  @Post('request-verification')
  @AuthRoute({ tags: ['requestVerification'], status: 204, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Have a verification mailed' })
  request(
    @CurrentCollection() collection: Collection,
    @CurrentForm(EmailDto) { email }: EmailDto,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.verification.request(collection, email, caller);
  }

  @Post('confirm-verification')
  @AuthRoute({ tags: ['confirmVerification'], status: 204, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Verify an email address' })
  confirm(
    @CurrentCollection() collection: Collection,
    @CurrentForm(VerificationDto) { token }: VerificationDto,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.verification.confirm(collection, token, caller);
  }
}
