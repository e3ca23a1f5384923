import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { type CollectionChange, collectionDiff } from '../kernel/collections/collection-diff.js';
import type { Collection } from '../kernel/collections/collection.js';
import { dependentViews } from './collection-references.js';

/** Circumstances of a change besides the definitions. */
export interface CatalogChangeContext {
  /**
   * Queries of views that were run before the transaction; inside it nothing can be cut off, so they are not run again.
   */
  readonly triedQueries?: ReadonlySet<string>;
  /** True when earlier definitions are restored: their views may be broken. */
  readonly asBefore?: boolean;
}

/** The difference between two catalogs: new, changed and deleted collections. */
export class CatalogChange {
  /** The catalog after the change; fields of views are updated later. */
  readonly after: CatalogSnapshot;

  constructor(
    readonly before: CatalogSnapshot,
    readonly saved: readonly Collection[],
    readonly removed: readonly Collection[] = [],
    private readonly context: CatalogChangeContext = {},
  ) {
    this.after = before.with(saved, new Set(removed.map((collection) => collection.id)));
  }

  /** Each collection of the change as it was and as it will be. */
  pairs(): CollectionChange[] {
    return [
      ...this.removed.map((before) => ({ before })),
      ...this.saved.map((after) => ({ before: this.stored(after), after })),
    ];
  }

  /** New names by old ones. A change of letter case is one too. */
  renames(): ReadonlyMap<string, string> {
    const kept = this.pairs().filter(({ before, after }) => before && after && before.name !== after.name);
    return new Map(kept.map(({ before, after }) => [before!.name, after!.name]));
  }

  /** What has to be done to tables and indexes. */
  tableChanges(): ReturnType<typeof collectionDiff> {
    return collectionDiff(this.pairs());
  }

  /** The views whose SQL views have to go before tables change: removed ones, changed ones, and all that read them. */
  viewsBefore(): Collection[] {
    const own = [...this.saved, ...this.removed].flatMap((collection) => this.stored(collection) ?? []);
    return this.affected(this.before.all(), own);
  }

  /** The views that have to be looked at again after tables changed, each after the views it reads. */
  viewsAfter(): Collection[] {
    return this.affected(this.after.all(), this.saved);
  }

  /** True for a view of this change whose query has not been run. */
  isUntried(view: Collection): boolean {
    return this.isSaved(view) && !this.context.triedQueries?.has(view.viewQuery ?? '');
  }

  /** True for a view whose failure fails the change. */
  isNeeded(view: Collection): boolean {
    return this.isSaved(view) && !this.asBefore;
  }

  get asBefore(): boolean {
    return this.context.asBefore === true;
  }

  isSaved(collection: Collection): boolean {
    return this.saved.some(({ id }) => id === collection.id);
  }

  private affected(all: readonly Collection[], own: readonly Collection[]): Collection[] {
    const views = all.filter((collection) => collection.isView);
    const ownViews = own.filter((collection) => collection.isView);
    return dependentViews(this.touchedNames(), views, ownViews);
  }

  /** Names of tables that the change affects, as queries may use them. */
  private touchedNames(): string[] {
    return this.pairs()
      .filter(({ before, after }) => !before || !after || schemaDiffers(before, after))
      .flatMap(({ before, after }) => [before?.name, after?.name])
      .filter((name) => name !== undefined);
  }

  private stored(collection: Collection): Collection | undefined {
    return this.before.findById(collection.id);
  }
}

function schemaDiffers(before: Collection, after: Collection): boolean {
  return (
    before.name !== after.name ||
    before.viewQuery !== after.viewQuery ||
    JSON.stringify(before.fields) !== JSON.stringify(after.fields)
  );
}
