import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Collection } from '../kernel/collections/collection.js';
import type { RoostRequest } from './roost-request.js';

/** The collection of the path, on routes marked with `@ForCollection()`. */
export const CurrentCollection = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Collection =>
    context.switchToHttp().getRequest<RoostRequest>().collection!,
);
