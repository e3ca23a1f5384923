import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { PicksFields } from '../http/picks-fields.decorator.js';
import { queryValue, queryValues } from '../http/query-value.js';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import { type ListPage, parsePage } from '../kernel/query/page.js';
import type { LogEntry } from './log-entry.js';
import { type LogHour, LogsService } from './logs.service.js';

@Controller('api/logs')
@RequireSuperuser()
@PicksFields()
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @Get()
  list(@Query() query: unknown): Promise<ListPage<LogEntry>> {
    const { filter = '', sort = '', ...page } = queryValues(query);
    return this.logs.find({ page: parsePage(page), filter, sort });
  }

  @Get('stats')
  stats(@Query() query: unknown): Promise<LogHour[]> {
    return this.logs.countByHour(queryValue(query, 'filter') ?? '');
  }

  @Get(':id')
  view(@Param('id') id: string): Promise<LogEntry> {
    return this.logs.get(id);
  }

  @Delete()
  @HttpCode(204)
  async deleteAll(): Promise<void> {
    await this.logs.deleteAll();
  }
}
