import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { finalize, type Observable } from 'rxjs';
import { BODY_LIMIT, type BodyLimit, DEFAULT_BODY_LIMITS } from './body-limit.js';
import { BodyReader } from './body-reader.js';
import { NOTHING_TO_DISPOSE } from './request-body.js';
import { requestOf } from '../request/request-of.js';

/** Reads the body of the routes that have one, and disposes of it when the route has ended. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly limits = new Map<Type<BodyLimit>, BodyLimit>();

  constructor(
    private readonly reflector: Reflector,
    private readonly moduleRef: ModuleRef,
    private readonly reader: BodyReader,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = requestOf(context);
    const limit = this.limitOf(context);
    const body = await this.reader.read(request, limit ? await limit.limits(request) : DEFAULT_BODY_LIMITS);
    request.requestBody = body;
    // What Nest's own @Body() hands over.
    request.body = body.values;
    if (body.dispose === NOTHING_TO_DISPOSE) return next.handle();
    return next.handle().pipe(finalize(() => void body.dispose()));
  }

  private limitOf(context: ExecutionContext): BodyLimit | undefined {
    const type = this.reflector.get<Type<BodyLimit> | undefined>(BODY_LIMIT, context.getHandler());
    if (!type) return undefined;
    let limit = this.limits.get(type);
    if (!limit) {
      limit = this.moduleRef.get<BodyLimit>(type, { strict: false });
      this.limits.set(type, limit);
    }
    return limit;
  }
}
