import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import type { BindScope } from './bind-scope.js';

/** What every expression is compiled and filled with: the schema, the collection it is about, who asks and when. */
export interface ExpressionScope extends BindScope {
  readonly catalog: CollectionCatalog;
  readonly collection: Collection;
}
