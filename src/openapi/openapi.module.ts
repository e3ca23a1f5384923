import { type DynamicModule, Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { API_INFO, type ApiInfo } from './api-info.js';
import { ApiDocsService } from './api-docs.service.js';
import { OpenApiDocument } from './openapi-document.js';
import { OpenApiController } from './openapi.controller.js';
import { RouteScanner } from './route-scanner.js';

/** The description of the API for generators of clients, and a page that shows it (EXT-25). */
@Module({})
export class OpenApiModule {
  static forRoot(info: ApiInfo = {}): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [CollectionsModule],
      controllers: [OpenApiController],
      providers: [ApiDocsService, OpenApiDocument, RouteScanner, { provide: API_INFO, useValue: info }],
    };
  }
}
