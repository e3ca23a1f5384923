import { Injectable, type INestApplication, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { BODY_LIMIT } from '../http/body-limit.mark.js';
import { loadSwagger } from '../http/dto/api-decorators.js';
import { REQUIRED_AUTH, type RequiredAuth } from '../http/required-auth.js';

/** What the marks of a route say about it. */
export interface RouteMarks {
  readonly requiredAuth: RequiredAuth | undefined;
  readonly readsBody: boolean;
}

/** The routes of the application: what @nestjs/swagger finds, and the marks by operation id. */
export interface ScannedRoutes {
  readonly paths: OpenAPIObject['paths'];
  readonly schemas: Record<string, unknown>;
  readonly marks: ReadonlyMap<string, RouteMarks>;
}

/**
 * Finds every route of the container, a team's included. The library is loaded by the first scan: an application that
 * nobody asks for its description does not pay for it.
 */
@Injectable()
export class RouteScanner {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: ApplicationConfig,
    private readonly adapter: HttpAdapterHost,
    private readonly reflector: Reflector,
  ) {}

  async scan(): Promise<ScannedRoutes> {
    const { SwaggerModule, DocumentBuilder } = await loadSwagger();
    const document = SwaggerModule.createDocument(
      this.application(),
      new DocumentBuilder().setOpenAPIVersion('3.1.0').build(),
      {
        operationIdFactory: (controller, method) => `${controller}_${method}`,
        autoTagControllers: false,
      },
    );
    return { paths: document.paths, schemas: { ...document.components?.schemas }, marks: this.marks() };
  }

  /** The three members the scan reads: no provider can be given the application itself. */
  private application(): INestApplication {
    const { modules, config, adapter } = this;
    const container = { getModules: () => modules, isGlobalModule: () => false };
    const seen = { container, config, getHttpAdapter: () => adapter.httpAdapter };
    return seen as unknown as INestApplication;
  }

  private marks(): Map<string, RouteMarks> {
    const marks = new Map<string, RouteMarks>();
    const methods = new MetadataScanner();
    for (const module of this.modules.values()) {
      for (const { metatype } of module.controllers.values()) {
        if (typeof metatype !== 'function') continue;
        for (const name of methods.getAllMethodNames(metatype.prototype as object)) {
          marks.set(`${metatype.name}_${name}`, this.marksOf(metatype as Type, name));
        }
      }
    }
    return marks;
  }

  private marksOf(controller: Type, name: string): RouteMarks {
    const handler = (controller.prototype as Record<string, () => unknown>)[name]!;
    return {
      requiredAuth: this.reflector.getAllAndOverride<RequiredAuth | undefined>(REQUIRED_AUTH, [handler, controller]),
      readsBody: Reflect.hasMetadata(BODY_LIMIT, handler),
    };
  }
}
