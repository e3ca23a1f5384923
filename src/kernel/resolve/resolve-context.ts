import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import type { SqlNode } from '../sql/sql-node.js';
import type { RequestReader } from './request-reader.js';
import type { Aliases } from './aliases.js';

/** What all names of one expression are resolved in. */
export interface ResolveContext {
  readonly catalog: CollectionCatalog;
  readonly reader: RequestReader;
  readonly aliases: Aliases;
  /** Whether a client who is no superuser wrote the expression (§13). */
  readonly guarded: boolean;
  /** True for rows of the alias that the caller may list (GRD-4). */
  mayList(collection: Collection, alias: string): SqlNode;
}
