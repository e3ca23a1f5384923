import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentBody } from '../http/current-body.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { SmallBodyLimit } from '../http/fixed-body-limits.js';
import { PicksFields } from '../http/picks-fields.decorator.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import type { RoostRequest } from '../http/roost-request.js';
import { Caller } from '../kernel/records/caller.js';
import { BackupBodyLimit } from './backup-body-limit.js';
import { BackupDownloadService } from './backup-download.service.js';
import { BackupsService, type ListedBackup } from './backups.service.js';
import { requestedName } from './requested-name.js';

@Controller('api/backups')
export class BackupsController {
  constructor(
    private readonly backups: BackupsService,
    private readonly downloads: BackupDownloadService,
  ) {}

  @Get()
  @RequireSuperuser()
  @PicksFields()
  list(): Promise<ListedBackup[]> {
    return this.backups.list();
  }

  @Post()
  @HttpCode(204)
  @RequireSuperuser()
  @ReadsBody(SmallBodyLimit)
  async create(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<void> {
    await this.backups.create(requestedName(body.values), { caller });
  }

  @Post('upload')
  @HttpCode(204)
  @RequireSuperuser()
  @ReadsBody(BackupBodyLimit)
  async upload(@CurrentBody() body: RequestBody): Promise<void> {
    await this.backups.upload(body.files.get('file')?.[0]);
  }

  /** Whoever has a link may follow it, so the token in it counts and the Authorization header does not. */
  @Get(':key')
  async download(@Param('key') key: string, @Req() request: RoostRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.downloads.send(key, request, reply);
  }

  @Delete(':key')
  @HttpCode(204)
  @RequireSuperuser()
  async delete(@Param('key') key: string): Promise<void> {
    await this.backups.delete(key);
  }

  @Post(':key/restore')
  @HttpCode(204)
  @RequireSuperuser()
  async restore(@Param('key') key: string, @CurrentCaller() caller: Caller): Promise<void> {
    await this.backups.startRestore(key, caller);
  }
}
