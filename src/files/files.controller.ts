import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ForCollection } from '../http/for-collection.decorator.js';
import { RateLimitTag } from '../http/rate-limit-tag.decorator.js';
import type { RoostRequest } from '../http/roost-request.js';
import { FileDownloadService } from './file-download.service.js';

@Controller('api/files')
export class FilesController {
  constructor(private readonly downloads: FileDownloadService) {}

  @Get(':collection/:recordId/:fileName')
  @ForCollection()
  @RateLimitTag('file')
  async download(@Req() request: RoostRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.downloads.send(request, reply);
  }
}
