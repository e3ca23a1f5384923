import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiOkResponse, ApiOperation, ApiQuery } from '../http/dto/api-decorators.js';
import { ForCollection } from '../http/request/collection.decorators.js';
import { RateLimitTag } from '../http/request/rate-limit.decorators.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { FileDownloadService } from './file-download.service.js';

const BYTES = { type: 'string', contentMediaType: 'application/octet-stream' } as const;

@Controller('api/files')
export class FilesController {
  constructor(private readonly downloads: FileDownloadService) {}

  @Get(':collection/:recordId/:fileName')
  @ForCollection()
  @RateLimitTag('file')
  @ApiOperation({ summary: 'Download a file' })
  @ApiQuery({ name: 'thumb', required: false, type: String })
  @ApiQuery({ name: 'token', required: false, type: String })
  @ApiQuery({ name: 'download', required: false, type: String })
  @ApiOkResponse({ content: { '*/*': { schema: BYTES } } })
  async download(@Req() request: RoostRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.downloads.send(request, reply);
  }
}
