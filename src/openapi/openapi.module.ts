import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { ApiDocsService } from './api-docs.service.js';
import { OpenApiDocument } from './openapi-document.js';
import { OpenApiController } from './openapi.controller.js';
import { RouteScanner } from './route-scanner.js';

/** The description of the API for generators of clients, and a page that shows it (EXT-25). */
@Module({
  imports: [CollectionsModule],
  controllers: [OpenApiController],
  providers: [ApiDocsService, OpenApiDocument, RouteScanner],
})
export class OpenApiModule {}
