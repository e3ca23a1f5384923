import { Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { INTERCEPTORS_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BodyInterceptor } from './body.interceptor.js';

/** Says before the first request which routes ask for a body that nobody reads: they would get nothing, without a word. */
@Injectable()
export class UnreadBodies implements OnModuleInit {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** Commands that do not serve have no use for it. */
  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance();
    fastify.addHook('onReady', (done) => {
      for (const route of this.find()) {
        this.logger.warn(`${route} has a parameter @Body(), which stays empty without @ReadsBody() on the method.`);
      }
      done();
    });
  }

  private find(): string[] {
    const scanner = new MetadataScanner();
    return [...this.modules.values()].flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => {
        if (typeof metatype !== 'function') return [];
        const { name, prototype } = metatype as Type<Record<string, unknown>>;
        return scanner
          .getAllMethodNames(prototype)
          .filter((method) => wantsBody(metatype, method) && !readsBody(metatype, prototype[method]))
          .map((method) => `${name}.${method}`);
      }),
    );
  }
}

/** Nest keys parameters by their kind and place: `3:0`. */
function wantsBody(controller: object, method: string): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
}

function readsBody(controller: object, method: unknown): boolean {
  return [controller, method as object].some((target) => {
    const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, target) as unknown[] | undefined) ?? [];
    return interceptors.includes(BodyInterceptor);
  });
}
