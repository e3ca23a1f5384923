import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { ApiError } from '../../kernel/errors/api-error.js';
import { DEFAULT_BODY_BYTES } from './body-limit.js';
import { BodyReader, mediaType, parseBytes } from './body-reader.js';
import { plainBody } from './request-body.js';
import { requestOf } from '../request/request-of.js';
import type { RoostRequest } from '../request/roost-request.js';

/** Metadata key of how many bytes a route with `@ReadsRawBody()` takes. */
export const RAW_BODY_BYTES = 'roost:raw-body-bytes';

/** Reads the body of the routes that want its bytes. */
@Injectable()
export class RawBodyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly reader: BodyReader,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = requestOf(context);
    const maxBytes = this.reflector.get<number | undefined>(RAW_BODY_BYTES, context.getHandler());
    const bytes = await this.reader.readRaw(request, maxBytes ?? DEFAULT_BODY_BYTES);
    request.rawBody = bytes;
    request.requestBody = plainBody(await valuesOf(request, bytes));
    request.body = request.requestBody.values;
    return next.handle();
  }
}

/** A body that cannot be parsed has no values here; the route that asked for the bytes decides about it. */
async function valuesOf(request: RoostRequest, bytes: Buffer): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await parseBytes(mediaType(request), bytes)) ?? {};
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}
