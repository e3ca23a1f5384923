import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from './request-of.js';

/**
 * The collection of the path as the client named it, by name or id. Whoever waits for something before the collection
 * is needed looks for it then: the one found when the request arrived may have been changed since.
 */
export const CollectionInPath = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string =>
    (requestOf(context).params as { collection: string }).collection,
);
