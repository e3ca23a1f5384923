import { Injectable } from '@nestjs/common';
import { AuxiliaryDatabase } from '../database/database.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { type ListPage, type Page, pageOffset, toListPage } from '../kernel/query/page.js';
import { column, columnsOf, compare, param, table } from '../kernel/sql/sql.js';
import { SettingsService } from '../settings/settings.service.js';
import type { LogEntry, LogHour, NewLogEntry } from './log-entry.js';
import { LogQuery } from './log-query.js';
import { LOG_COLUMNS, LogRows, LOGS_TABLE } from './log-rows.js';
import { LogWriter } from './log-writer.js';

/** A list of log entries as it is asked for; '' is no filter, and the default sort. */
export interface LogListQuery {
  readonly page: Page;
  readonly filter: string;
  readonly sort: string;
}

type LogRow = Omit<LogEntry, 'data'> & { readonly data: string };

/** The log of requests and of the application (chapter 06 D). */
@Injectable()
export class LogsService {
  constructor(
    private readonly database: AuxiliaryDatabase,
    private readonly writer: LogWriter,
    private readonly rows: LogRows,
    private readonly queries: LogQuery,
    private readonly settings: SettingsService,
  ) {}

  /** True when an entry of this level would be stored; ask before building an expensive one. */
  accepts(level: number): boolean {
    const { maxDays, minLevel } = this.settings.get().logs;
    return maxDays > 0 && level >= minLevel;
  }

  /** Remembers an entry, unless the settings do not want it. Never waits and never fails. */
  add(entry: NewLogEntry): void {
    if (this.accepts(entry.level)) this.writer.add(entry);
  }

  /** Throws 400 for a filter or sort that means nothing. */
  async find({ page, filter, sort }: LogListQuery): Promise<ListPage<LogEntry>> {
    const statements = this.queries.list(filter, sort, page.perPage);
    await this.writer.flushSoon();
    const rows = await this.database.all<LogRow>(statements.page(pageOffset(page)));
    const total = page.skipTotal ? undefined : await this.database.get<{ total: number }>(statements.count());
    return toListPage(page, rows.map(toEntry), total?.total);
  }

  /** Throws a NotFoundError when there is no such entry. */
  async get(id: string): Promise<LogEntry> {
    await this.writer.flushSoon();
    const row = await this.database.get<LogRow>({
      kind: 'select',
      columns: columnsOf(LOGS_TABLE, LOG_COLUMNS),
      from: table(LOGS_TABLE),
      where: compare(column(LOGS_TABLE, 'id'), '=', param(id)),
    });
    if (!row) throw new NotFoundError();
    return toEntry(row);
  }

  /** How many entries there are in each hour that has some, oldest first. Throws 400 for a bad filter. */
  async countByHour(filter: string): Promise<LogHour[]> {
    const statement = this.queries.countByHour(filter);
    await this.writer.flushSoon();
    const rows = await this.database.all<{ hour: string; total: number }>(statement);
    return rows.map(({ hour, total }) => ({ date: `${hour}:00:00.000Z`, total }));
  }

  /** Deletes every entry and gives the space back. */
  async deleteAll(): Promise<void> {
    this.writer.discard();
    await this.writer.flush();
    await this.rows.deleteAll();
  }
}

function toEntry({ id, created, level, message, data }: LogRow): LogEntry {
  return { id, created, level, message, data: JSON.parse(data) as Record<string, unknown> };
}
