import type { Collection } from '../kernel/collections/collection.js';

/** A collection was created or its definition changed. `before` is undefined when it is new. */
export class CollectionChanged {
  constructor(
    readonly before: Collection | undefined,
    readonly after: Collection,
  ) {}
}
