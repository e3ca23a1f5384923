import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '../kernel/records/caller.js';
import { requestOf } from './request-of.js';
import { untouchedParameter } from './untouched-parameter.js';

/** Who acts, and through which request: what services take as `as`. */
export const CurrentCaller = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): Caller => requestOf(context).caller),
);
