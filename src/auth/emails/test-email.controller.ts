import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { RequireSuperuser } from '../../http/require-auth.decorator.js';
import { Caller } from '../../kernel/records/caller.js';
import { readForm } from '../auth-form.js';
import { type TestEmail, TestEmailService } from './test-email.service.js';

@Controller('api/settings/test/email')
@RequireSuperuser()
export class TestEmailController {
  constructor(private readonly testEmails: TestEmailService) {}

  @Post()
  @HttpCode(204)
  @ReadsBody(SmallBodyLimit)
  send(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<void> {
    return this.testEmails.send(readTestEmail(body, caller));
  }
}

function readTestEmail(body: RequestBody, caller: Caller): TestEmail {
  return readForm(body, caller, { email: 'text', template: 'text', collection: 'text' });
}
