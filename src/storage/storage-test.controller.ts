import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentBody } from '../http/current-body.decorator.js';
import { SmallBodyLimit } from '../http/fixed-body-limits.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import { StorageTestService } from './storage-test.service.js';

@Controller('api/settings/test/s3')
@RequireSuperuser()
export class StorageTestController {
  constructor(private readonly tests: StorageTestService) {}

  @Post()
  @HttpCode(204)
  @ReadsBody(SmallBodyLimit)
  async test(@CurrentBody() body: RequestBody): Promise<void> {
    await this.tests.test(body.values);
  }
}
