import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { plainBody, type RequestBody } from './request-body.js';
import { requestOf } from '../request/request-of.js';

/**
 * The body of a route marked with `@ReadsBody()`: `{ values, files }`, or only one of the two:
 * `@CurrentBody('values')`. Pipes may follow, such as `DtoPipe`.
 */
export const CurrentBody = createParamDecorator(
  (part: 'values' | 'files' | undefined, context: ExecutionContext): RequestBody | RequestBody['values' | 'files'] => {
    const body = requestOf(context).requestBody ?? plainBody({});
    return part === undefined ? body : body[part];
  },
);
