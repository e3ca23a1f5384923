import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiExcludeController } from '../http/dto/api-decorators.js';
import { AdminService } from './admin.service.js';

/** Serves the admin UI under `/_/` (OPS-200), and the documents under `/_/docs/`. */
@ApiExcludeController()
@Controller()
export class AdminController {
  constructor(private readonly admin: AdminService) {}

  /** The target is relative, so that it holds behind a proxy under a sub-path. */
  @Get('_')
  redirect(@Res() reply: FastifyReply): FastifyReply {
    return reply.code(301).header('location', '_/').send();
  }

  /** So that the relative addresses of the page hold. */
  @Get('_/docs')
  redirectToDocs(@Res() reply: FastifyReply): FastifyReply {
    return reply.code(301).header('location', 'docs/').send();
  }

  @Get('_/*')
  file(
    @Param('*') name: string,
    @Headers('accept-encoding') acceptEncoding: string | undefined,
    @Res() reply: FastifyReply,
  ): FastifyReply {
    return this.admin.send(name ?? '', acceptEncoding ?? '', reply);
  }
}
