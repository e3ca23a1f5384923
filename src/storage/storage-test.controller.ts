import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { StorageTestDto } from './storage-test.dto.js';
import { StorageTestService } from './storage-test.service.js';

@Controller('api/settings/test/s3')
@RequireSuperuser()
export class StorageTestController {
  constructor(private readonly tests: StorageTestService) {}

  @Post()
  @HttpCode(204)
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Try the S3 settings' })
  async test(@CurrentForm(StorageTestDto) form: StorageTestDto): Promise<void> {
    await this.tests.test(form);
  }
}
