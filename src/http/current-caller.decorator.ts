import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '../kernel/records/caller.js';
import type { RoostRequest } from './roost-request.js';

/** Who acts, and through which request: what services take as `as`. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<RoostRequest>().caller,
);
