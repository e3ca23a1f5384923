import { Controller, Get, Param, Res } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../http/dto/schema.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { ApiDocsService } from './api-docs.service.js';
import { OpenApiDocument } from './openapi-document.js';

@Controller('api')
export class OpenApiController {
  constructor(
    private readonly document: OpenApiDocument,
    private readonly docs: ApiDocsService,
  ) {}

  @Get('openapi.json')
  @RequireSuperuser()
  @PicksFields()
  @ApiOperation({ summary: 'This document' })
  @ApiOkResponse({ schema: FREE_OBJECT })
  describe(): Promise<OpenAPIObject> {
    return this.document.build();
  }

  @Get('docs')
  @ApiExcludeEndpoint()
  page(@Res() reply: FastifyReply): FastifyReply {
    return this.docs.sendPage(reply);
  }

  @Get('docs/:file')
  @ApiExcludeEndpoint()
  asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.docs.sendAsset(file, reply);
  }
}
