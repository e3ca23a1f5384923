import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiPage } from '../http/dto/api-answers.js';
import { ApiOkResponse, ApiOperation, ApiQuery } from '../http/dto/api-decorators.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { queryValue, queryValues } from '../http/request/query-value.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { type ListPage, parsePage } from '../kernel/query/page.js';
import { LogEntry, LogHour } from './log-entry.js';
import { LogsService } from './logs.service.js';

@Controller('api/logs')
@RequireSuperuser()
@PicksFields()
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @Get()
  @ApiOperation({ summary: 'List logs' })
  @ApiPage(LogEntry)
  list(@Query() query: unknown): Promise<ListPage<LogEntry>> {
    const { filter = '', sort = '', ...page } = queryValues(query);
    return this.logs.find({ page: parsePage(page), filter, sort });
  }

  @Get('stats')
  @ApiOperation({ summary: 'Count logs by hour' })
  @ApiQuery({ name: 'filter', required: false, type: String })
  @ApiOkResponse({ type: [LogHour] })
  stats(@Query() query: unknown): Promise<LogHour[]> {
    return this.logs.countByHour(queryValue(query, 'filter') ?? '');
  }

  @Get(':id')
  @ApiOperation({ summary: 'View a log' })
  @ApiOkResponse({ type: LogEntry })
  view(@Param('id') id: string): Promise<LogEntry> {
    return this.logs.get(id);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete all logs' })
  async deleteAll(): Promise<void> {
    await this.logs.deleteAll();
  }
}
