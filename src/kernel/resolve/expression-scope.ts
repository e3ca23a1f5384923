import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import type { SqlValue } from '../fields/field-type.js';
import type { Caller } from '../records/caller.js';

/** What compiled SQL is filled with: who asks through which request, and when (milliseconds since the epoch). */
export interface BindScope {
  readonly caller: Caller;
  /** The one instant of all macros of a statement (REF-9). */
  readonly now: number;
  /** Values that are handed over with one binding, such as the offset of a page. */
  readonly args?: readonly SqlValue[];
}

/** What every expression is compiled and filled with: the schema, the collection it is about, who asks and when. */
export interface ExpressionScope extends BindScope {
  readonly catalog: CollectionCatalog;
  readonly collection: Collection;
}
