import { Controller, Get, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { PicksFields } from '../../http/picks-fields.decorator.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { Caller } from '../../kernel/records/caller.js';
import { readForm } from '../auth-form.js';
import type { AuthResult } from '../auth-results.js';
import { SetupThrottleGuard } from './setup-throttle.guard.js';
import { type SetupForm, SetupService, type SetupStatus } from './setup.service.js';

@Controller('api/setup')
@PicksFields()
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  status(): Promise<SetupStatus> {
    return this.setup.status();
  }

  @Post()
  @HttpCode(200)
  @UseGuards(SetupThrottleGuard)
  @ReadsBody(SmallBodyLimit)
  complete(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<AuthResult> {
    return this.setup.complete(readSetup(body, caller), caller);
  }
}

function readSetup(body: RequestBody, caller: Caller): SetupForm {
  return readForm(body, caller, { email: 'text', password: 'text', passwordConfirm: 'text', token: 'text' });
}
