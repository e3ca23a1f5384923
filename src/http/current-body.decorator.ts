import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { plainBody, type RequestBody } from './request-body.js';
import type { RoostRequest } from './roost-request.js';

/** The body of a route marked with `@ReadsBody()`: `{ values, files }`. */
export const CurrentBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): RequestBody =>
    context.switchToHttp().getRequest<RoostRequest>().requestBody ?? plainBody({}),
);
