import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentCollection, ForCollection } from '../http/request/collection.decorators.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { Collection } from '../kernel/collections/collection.js';
import { RuleTestAnswer, RuleTestDto } from './rule-test.dto.js';
import { RuleTestService } from './rule-test.service.js';

@Controller('api/collections/:collection/test-rule')
@RequireSuperuser()
@PicksFields()
export class RuleTestController {
  constructor(private readonly tests: RuleTestService) {}

  @Post()
  @HttpCode(200)
  @ForCollection()
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Try a rule as an account' })
  @ApiOkResponse({ type: RuleTestAnswer })
  test(
    @CurrentCollection() collection: Collection,
    @CurrentForm(RuleTestDto) form: RuleTestDto,
  ): Promise<RuleTestAnswer> {
    return this.tests.test(collection, form);
  }
}
