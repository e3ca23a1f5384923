import type { CollectionModel } from '../api/collection-model.js';

/** Where a filter or rule is written: what it can name. */
export interface FilterScope {
  readonly collections: readonly CollectionModel[];
  readonly collection?: CollectionModel;
  /** Fixed names instead of the fields of a collection (logs). */
  readonly names?: readonly string[];
}
