import { Controller, Post } from '@nestjs/common';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentCollection } from '../../http/request/collection.decorators.js';
import { ApiOperation } from '../../http/dto/api-decorators.js';
import { TypedForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { Collection } from '../../kernel/collections/collection.js';
import { Caller } from '../../kernel/records/caller.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { notForSuperusers } from '../superusers/not-for-superusers.js';
import { EmailChangeDto, NewEmailDto } from './email-change.dto.js';
import { EmailChangeService } from './email-change.service.js';

@Controller('api/collections/:collection')
export class EmailChangeController {
  constructor(private readonly emailChange: EmailChangeService) {}

  @Post('request-email-change')
  @AuthRoute({ tags: ['requestEmailChange'], status: 204, signedIn: true, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Ask for a new email address' })
  request(@TypedForm(NewEmailDto) form: NewEmailDto, @CurrentCaller() caller: Caller): Promise<void> {
    return this.emailChange.request(caller.auth!, form, caller);
  }

  @Post('confirm-email-change')
  @AuthRoute({ tags: ['confirmEmailChange'], status: 204, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Confirm a new email address' })
  confirm(
    @CurrentCollection() collection: Collection,
    @TypedForm(EmailChangeDto) change: EmailChangeDto,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.emailChange.confirm(collection, change, caller);
  }
}
