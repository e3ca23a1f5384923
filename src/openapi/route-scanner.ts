import { type INestApplication, Injectable, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { BODY_LIMIT } from '../http/body/body-limit.js';
import { loadSwagger, OPEN_SCHEMAS, PARTIAL_SCHEMAS } from '../http/dto/api-decorators.js';
import { ErrorDto, FieldErrorDto } from '../http/dto/error.dto.js';
import type { Schema } from '../http/dto/schema.js';
import { REQUIRED_AUTH, type RequiredAuth } from '../http/request/require-caller.js';

type Schemas = Readonly<Record<string, Schema>>;

/** The metadata of a route's decorators. */
export interface OperationMetadata {
  readonly requiredAuth: RequiredAuth | undefined;
  readonly readsBody: boolean;
}

/** The routes of the application as @nestjs/swagger finds them, and our metadata by operation id. */
export interface ScannedRoutes {
  readonly paths: OpenAPIObject['paths'];
  readonly schemas: Schemas;
  readonly metadata: ReadonlyMap<string, OperationMetadata>;
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
        extraModels: [ErrorDto, FieldErrorDto],
      },
    );
    return {
      paths: document.paths,
      schemas: completed((document.components?.schemas ?? {}) as Schemas),
      metadata: this.metadata(),
    };
  }

  /**
   * @nestjs/swagger asks the application for these three members only, and no provider can inject the application
   * itself.
   */
  private application(): INestApplication {
    const { modules, config, adapter } = this;
    const container = { getModules: () => modules, isGlobalModule: () => false };
    const seen = { container, config, getHttpAdapter: () => adapter.httpAdapter };
    return seen as unknown as INestApplication;
  }

  private metadata(): Map<string, OperationMetadata> {
    const metadata = new Map<string, OperationMetadata>();
    const methods = new MetadataScanner();
    for (const module of this.modules.values()) {
      for (const { metatype } of module.controllers.values()) {
        if (typeof metatype !== 'function') continue;
        for (const name of methods.getAllMethodNames(metatype.prototype as object)) {
          metadata.set(`${metatype.name}_${name}`, this.metadataOf(metatype as Type, name));
        }
      }
    }
    return metadata;
  }

  private metadataOf(controller: Type, name: string): OperationMetadata {
    const handler = (controller.prototype as Record<string, () => unknown>)[name]!;
    return {
      requiredAuth: this.reflector.getAllAndOverride<RequiredAuth | undefined>(REQUIRED_AUTH, [handler, controller]),
      readsBody: Reflect.hasMetadata(BODY_LIMIT, handler),
    };
  }
}

/** What the library has no decorators for: objects with more properties than declared, and partial ones. */
function completed(schemas: Schemas): Schemas {
  const all: Record<string, Schema> = { ...schemas };
  for (const name of OPEN_SCHEMAS) if (all[name]) all[name] = { ...all[name], additionalProperties: true };
  for (const [name, whole] of PARTIAL_SCHEMAS) if (all[whole]) all[name] = partialOf(all[whole], all);
  return all;
}

/** A schema without required properties, at every level; items of lists are whole. */
function partialOf(schema: Schema, all: Schemas): Schema {
  const named = typeof schema['$ref'] === 'string' ? all[schema['$ref'].split('/').at(-1)!]! : schema;
  if (named['properties'] === undefined) return schema;
  const { required: _required, ...rest } = named;
  const properties = Object.entries(named['properties'] as Schemas).map(([name, value]) => [
    name,
    partialOf(value, all),
  ]);
  return { ...rest, properties: Object.fromEntries(properties) };
}
