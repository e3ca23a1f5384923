import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Collection } from '../../kernel/collections/collection.js';
import { requestOf } from './request-of.js';
import { untouchedParameter } from './untouched-parameter.js';

/** Metadata key of routes below a collection. */
export const FOR_COLLECTION = 'roost:for-collection';

/** What a route asks of the collection in its path. */
export interface ForCollectionOptions {
  /** True where records are written: a view collection answers 400. */
  readonly writes?: boolean;
}

/**
 * The route's `:collection` must exist, else 404, before the rate limit is asked (REC-9, AUTH-104, FS-73). It is then
 * `request.collection`, and its name stands in the rate limit labels.
 */
export function ForCollection(options: ForCollectionOptions = {}): MethodDecorator & ClassDecorator {
  return SetMetadata(FOR_COLLECTION, options);
}

/** The collection of the path, on routes marked with `@ForCollection()`. */
export const CurrentCollection = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): Collection => requestOf(context).collection!),
);

/**
 * The collection of the path as the client named it, by name or id. Whoever waits for something before the collection
 * is needed looks for it then: the one found when the request arrived may have been changed since.
 */
export const CollectionInPath = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string =>
    (requestOf(context).params as { collection: string }).collection,
);
