import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentBody } from '../http/body/current-body.decorator.js';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiQuery } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import type { RequestBody } from '../http/body/request-body.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { Caller } from '../kernel/records/caller.js';
import { BackupBodyLimit } from './backup-body-limit.js';
import { BackupDownloadService } from './backup-download.service.js';
import { BackupUploadDto, ListedBackup, NewBackupDto } from './backup.dto.js';
import { BackupsService } from './backups.service.js';

const ZIP = { type: 'string', contentMediaType: 'application/zip' } as const;

@Controller('api/backups')
export class BackupsController {
  constructor(
    private readonly backups: BackupsService,
    private readonly downloads: BackupDownloadService,
  ) {}

  @Get()
  @RequireSuperuser()
  @PicksFields()
  @ApiOperation({ summary: 'List backups' })
  @ApiOkResponse({ type: [ListedBackup] })
  list(): Promise<ListedBackup[]> {
    return this.backups.list();
  }

  @Post()
  @HttpCode(204)
  @RequireSuperuser()
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Create a backup' })
  async create(@CurrentForm(NewBackupDto) { name }: NewBackupDto, @CurrentCaller() caller: Caller): Promise<void> {
    await this.backups.create(name, { caller });
  }

  @Post('upload')
  @HttpCode(204)
  @RequireSuperuser()
  @ReadsBody(BackupBodyLimit)
  @ApiOperation({ summary: 'Upload a backup' })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: BackupUploadDto })
  async upload(@CurrentBody() body: RequestBody): Promise<void> {
    await this.backups.upload(body.files.get('file')?.[0]);
  }

  /** The token in the URL decides, not the Authorization header, because links are followed without it. */
  @Get(':key')
  @ApiOperation({ summary: 'Download a backup' })
  @ApiQuery({ name: 'token', required: false, type: String })
  @ApiOkResponse({ content: { 'application/zip': { schema: ZIP } } })
  async download(@Param('key') key: string, @Req() request: RoostRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.downloads.send(key, request, reply);
  }

  @Delete(':key')
  @HttpCode(204)
  @RequireSuperuser()
  @ApiOperation({ summary: 'Delete a backup' })
  async delete(@Param('key') key: string): Promise<void> {
    await this.backups.delete(key);
  }

  @Post(':key/restore')
  @HttpCode(204)
  @RequireSuperuser()
  @ApiOperation({ summary: 'Restore a backup' })
  async restore(@Param('key') key: string, @CurrentCaller() caller: Caller): Promise<void> {
    await this.backups.startRestore(key, caller);
  }
}
