import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { Insights } from './insights.dto.js';
import { InsightsService } from './insights.service.js';

@Controller('api/insights')
@RequireSuperuser()
@PicksFields()
export class InsightsController {
  constructor(private readonly insights: InsightsService) {}

  @Get()
  @ApiOperation({ summary: 'How the server is doing' })
  @ApiOkResponse({ type: Insights })
  read(): Promise<Insights> {
    return this.insights.read();
  }
}
