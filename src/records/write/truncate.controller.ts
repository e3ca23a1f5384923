import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { ApiOperation } from '../../http/dto/api-decorators.js';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { RequireSuperuser } from '../../http/request/require-auth.decorator.js';
import type { Caller } from '../../kernel/records/caller.js';
import { TruncateService } from './truncate.service.js';

@Controller('api/collections/:collection/truncate')
@RequireSuperuser()
export class TruncateController {
  constructor(private readonly truncates: TruncateService) {}

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete all records' })
  truncate(@Param('collection') collection: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.truncates.truncate(collection, caller);
  }
}
