import { SetMetadata } from '@nestjs/common';

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
