import type { Collection } from './collection.js';
import type { CollectionCatalog } from './collection-catalog.js';
import { changesByItself } from './view-query.js';

/** An immutable catalog. Changing it means making another one. */
export class CatalogSnapshot implements CollectionCatalog {
  private readonly byId: ReadonlyMap<string, Collection>;
  private readonly byName: ReadonlyMap<string, Collection>;
  private hasVolatileView?: boolean;

  /** `collections` in order of creation. */
  constructor(private readonly collections: readonly Collection[]) {
    this.byId = new Map(collections.map((collection) => [collection.id, collection]));
    this.byName = new Map(collections.map((collection) => [collection.name.toLowerCase(), collection]));
  }

  find(nameOrId: string): Collection | undefined {
    return this.byId.get(nameOrId) ?? this.byName.get(nameOrId.toLowerCase());
  }

  findById(id: string): Collection | undefined {
    return this.byId.get(id);
  }

  all(): readonly Collection[] {
    return this.collections;
  }

  /** The names of all tables; a view has none. */
  tables(): readonly string[] {
    return this.collections.filter(({ isView }) => !isView).map(({ name }) => name);
  }

  /** Whether one of these tables is a view. */
  readsView(tables: readonly string[]): boolean {
    return tables.some((table) => this.find(table)?.isView);
  }

  /**
   * Whether rows of these tables may change without a write, as those of a view that uses the time or random values do.
   */
  readsVolatileView(tables: readonly string[]): boolean {
    if (!this.readsView(tables)) return false;
    // Any view may read the volatile one.
    this.hasVolatileView ??= this.collections.some(
      ({ viewQuery }) => viewQuery !== undefined && changesByItself(viewQuery),
    );
    return this.hasVolatileView;
  }

  /**
   * A catalog with these collections instead of those with the same id, new ones at the end, and without the removed
   * ids.
   */
  with(changed: readonly Collection[], removed: ReadonlySet<string> = new Set()): CatalogSnapshot {
    const byId = new Map(changed.map((collection) => [collection.id, collection]));
    const kept = this.collections
      .filter((collection) => !removed.has(collection.id))
      .map((collection) => byId.get(collection.id) ?? collection);
    const added = changed.filter((collection) => !this.byId.has(collection.id) || removed.has(collection.id));
    return new CatalogSnapshot([...kept, ...added]);
  }
}
