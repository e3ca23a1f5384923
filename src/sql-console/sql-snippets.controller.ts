import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { SqlSnippet, SqlSnippetDto } from './sql-snippet.dto.js';
import { SqlSnippetsService } from './sql-snippets.service.js';

@Controller('api/sql/snippets')
@RequireSuperuser()
@PicksFields()
export class SqlSnippetsController {
  constructor(private readonly snippets: SqlSnippetsService) {}

  @Get()
  @ApiOperation({ summary: 'List the statements that are kept under names' })
  @ApiOkResponse({ type: [SqlSnippet] })
  list(): Promise<SqlSnippet[]> {
    return this.snippets.find();
  }

  @Put()
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Keep a statement under a name, in the place of what had that name' })
  @ApiOkResponse({ type: SqlSnippet })
  save(@CurrentForm(SqlSnippetDto) form: SqlSnippetDto): Promise<SqlSnippet> {
    return this.snippets.save(form);
  }

  @Delete(':name')
  @HttpCode(204)
  @ApiOperation({ summary: 'Forget a statement that is kept under a name' })
  async delete(@Param('name') name: string): Promise<void> {
    await this.snippets.delete(name);
  }
}
