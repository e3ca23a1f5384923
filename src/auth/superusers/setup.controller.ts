import { Controller, Get, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { ApiOkResponse, ApiOperation } from '../../http/dto/api-decorators.js';
import { TypedForm } from '../../http/dto/current-form.decorator.js';
import { ref } from '../../http/dto/schema.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { PicksFields } from '../../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { Caller } from '../../kernel/records/caller.js';
import { ApiAuthResult } from '../auth-answers.js';
import type { AuthResult } from '../auth-results.js';
import { SetupThrottleGuard } from './setup-throttle.guard.js';
import { SetupDto, SetupStatus } from './setup.dto.js';
import { SetupService } from './setup.service.js';

@Controller('api/setup')
@PicksFields()
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Does the first superuser exist' })
  @ApiOkResponse({ type: SetupStatus })
  status(): Promise<SetupStatus> {
    return this.setup.status();
  }

  @Post()
  @HttpCode(200)
  @UseGuards(SetupThrottleGuard)
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Create the first superuser' })
  @ApiAuthResult(ref('_superusers.record'))
  complete(@TypedForm(SetupDto) form: SetupDto, @CurrentCaller() caller: Caller): Promise<AuthResult> {
    return this.setup.complete(form, caller);
  }
}
