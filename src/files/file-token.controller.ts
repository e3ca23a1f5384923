import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentAuth } from '../http/request/caller.decorators.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { object, TEXT } from '../http/dto/schema.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { RequireAuth } from '../http/request/require-auth.decorator.js';
import { RecordModel } from '../kernel/records/record-model.js';
import { FileTokensService } from './file-tokens.service.js';

@Controller('api/files/token')
export class FileTokenController {
  constructor(private readonly tokens: FileTokensService) {}

  @Post()
  @HttpCode(200)
  @RequireAuth()
  @PicksFields()
  @ApiOperation({ summary: 'Issue a token for protected files' })
  @ApiOkResponse({ schema: object({ token: TEXT }) })
  issue(@CurrentAuth() record: RecordModel): Promise<{ token: string }> {
    return this.tokens.issue(record);
  }
}
