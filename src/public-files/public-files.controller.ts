import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiExcludeController } from '../http/dto/api-decorators.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { PublicFilesService } from './public-files.service.js';

/** All paths without another route. */
@ApiExcludeController()
@Controller()
export class PublicFilesController {
  constructor(private readonly files: PublicFilesService) {}

  @Get('*')
  async file(@Req() request: RoostRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.files.send(request, reply);
  }
}
