import { Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
// The entry that the other packages of Nest import these names from; no public one has them.
import { INTERCEPTORS_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { HttpAdapterHost, MetadataScanner, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BODY_LIMIT } from './body-limit.js';
import { BodyInterceptor } from './body.interceptor.js';
import { RawBodyInterceptor } from './raw-body.interceptor.js';

/**
 * Checks all routes before the first request. A route that asks for its body without `@ReadsBody()` would silently get
 * nothing: a warning is logged. A route whose body limit is no provider would fail every request: the start fails
 * instead.
 */
@Injectable()
export class UnreadBodies implements OnModuleInit {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly modules: ModulesContainer,
    private readonly moduleRef: ModuleRef,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** Commands that do not serve have no use for it. */
  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance();
    fastify.addHook('onReady', (done) => {
      for (const { controller, name } of this.methods()) this.check(controller, name);
      done();
    });
  }

  private methods(): { controller: Type<Record<string, unknown>>; name: string }[] {
    const scanner = new MetadataScanner();
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    return controllers.flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const controller = metatype as Type<Record<string, unknown>>;
      return scanner.getAllMethodNames(controller.prototype).map((name) => ({ controller, name }));
    });
  }

  private check(controller: Type<Record<string, unknown>>, name: string): void {
    const method = controller.prototype[name] as object;
    const route = `${controller.name}.${name}`;
    const limit = Reflect.getMetadata(BODY_LIMIT, method) as Type | undefined;
    if (limit && !this.isProvided(limit)) {
      throw new Error(`${route} reads its body with ${limit.name}, which is a provider of no module.`);
    }
    if (isRoute(method) && wantsBody(controller, name) && !readsBody(controller, method)) {
      this.logger.warn(`${route} has a parameter @Body(), which stays empty without @ReadsBody() on the method.`);
    }
  }

  private isProvided(type: Type): boolean {
    try {
      return this.moduleRef.get<object | undefined>(type, { strict: false }) !== undefined;
    } catch {
      return false;
    }
  }
}

/** Handlers of microservices have parameters of the same kind, which are not of a request. */
function isRoute(method: object): boolean {
  return Reflect.hasMetadata(PATH_METADATA, method);
}

/** Nest keys parameters by their kind and place: `3:0`. */
function wantsBody(controller: object, method: string): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
}

function readsBody(controller: object, method: object): boolean {
  return [controller, method].some((target) => {
    const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, target) as unknown[] | undefined) ?? [];
    return interceptors.includes(BodyInterceptor) || interceptors.includes(RawBodyInterceptor);
  });
}
