import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Collection } from '../../kernel/collections/collection.js';
import { requestOf } from './request-of.js';
import { untouchedParameter } from './untouched-parameter.js';

/** The collection of the path, on routes marked with `@ForCollection()`. */
export const CurrentCollection = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): Collection => requestOf(context).collection!),
);
