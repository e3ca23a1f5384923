import type { Collection } from '../kernel/collections/collection.js';

/** A collection is gone, its table or SQL view with it. */
export class CollectionDeleted {
  constructor(readonly collection: Collection) {}
}
