import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { Caller } from '../kernel/records/caller.js';
import { ListedCron } from './cron-job.js';
import { CronsService } from './crons.service.js';

@Controller('api/crons')
@RequireSuperuser()
@PicksFields()
export class CronsController {
  constructor(private readonly crons: CronsService) {}

  @Get()
  @ApiOperation({ summary: 'List scheduled jobs' })
  @ApiOkResponse({ type: [ListedCron] })
  list(): ListedCron[] {
    return this.crons.list();
  }

  @Post(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Run a scheduled job' })
  run(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.crons.run(id, caller);
  }
}
