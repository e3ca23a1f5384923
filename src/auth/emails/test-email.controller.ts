import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '../../http/dto/api-decorators.js';
import { TypedForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../../http/request/require-auth.decorator.js';
import { TestEmailDto } from './test-email.dto.js';
import { TestEmailService } from './test-email.service.js';

@Controller('api/settings/test/email')
@RequireSuperuser()
export class TestEmailController {
  constructor(private readonly testEmails: TestEmailService) {}

  @Post()
  @HttpCode(204)
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Send a test mail' })
  send(@TypedForm(TestEmailDto) form: TestEmailDto): Promise<void> {
    return this.testEmails.send(form);
  }
}
