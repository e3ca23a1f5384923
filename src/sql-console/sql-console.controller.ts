import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { TypedForm } from '../http/dto/current-form.decorator.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { SqlConsoleService } from './sql-console.service.js';
import { SqlAnswer, SqlDto } from './sql.dto.js';

@Controller('api/sql')
@RequireSuperuser()
@PicksFields()
export class SqlConsoleController {
  constructor(private readonly console: SqlConsoleService) {}

  @Post()
  @HttpCode(200)
  @ReadsBody()
  @ApiOperation({ summary: 'Run SQL' })
  @ApiOkResponse({ type: SqlAnswer })
  run(@TypedForm(SqlDto) form: SqlDto): Promise<SqlAnswer> {
    return this.console.run(form);
  }
}
