import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentBody } from '../http/current-body.decorator.js';
import { PicksFields } from '../http/picks-fields.decorator.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import { type SqlAnswer, SqlConsoleService } from './sql-console.service.js';

@Controller('api/sql')
@RequireSuperuser()
@PicksFields()
export class SqlConsoleController {
  constructor(private readonly console: SqlConsoleService) {}

  @Post()
  @HttpCode(200)
  @ReadsBody()
  run(@CurrentBody() body: RequestBody): Promise<SqlAnswer> {
    return this.console.run(body.values);
  }
}
