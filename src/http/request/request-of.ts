import type { ArgumentsHost } from '@nestjs/common';
import type { RoostRequest } from './roost-request.js';

/**
 * The request a guard, interceptor or decorator is asked about: what `switchToHttp().getRequest()` gives, which makes
 * three functions on its way, for each of the guards of each request.
 */
export function requestOf(context: ArgumentsHost): RoostRequest {
  return context.getArgByIndex<RoostRequest>(0);
}

/** False for what Nest asks the global guards about besides: messages of gateways, resolvers of GraphQL. */
export function isHttp(context: ArgumentsHost): boolean {
  return context.getType() === 'http';
}
