import type { ArgumentsHost } from '@nestjs/common';
import type { RoostRequest } from './roost-request.js';

/**
 * The request of a guard, interceptor or decorator, as `switchToHttp().getRequest()` gives it. That call creates three
 * functions each time, and every guard of every request would make it.
 */
export function requestOf(context: ArgumentsHost): RoostRequest {
  return context.getArgByIndex<RoostRequest>(0);
}

/** False for what Nest asks the global guards about besides: messages of gateways, resolvers of GraphQL. */
export function isHttp(context: ArgumentsHost): boolean {
  return context.getType() === 'http';
}
