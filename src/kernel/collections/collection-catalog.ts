import type { Collection } from './collection.js';

/** All collections at one moment: what resolvers need and nothing more. Replaced as a whole after a change. */
export interface CollectionCatalog {
  /** By exact id, or by name ignoring case. */
  find(nameOrId: string): Collection | undefined;
  /** In order of creation. */
  all(): readonly Collection[];
}
