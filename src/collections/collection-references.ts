import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import type { Collection } from '../kernel/collections/collection.js';
import { parseViewQuery, viewQueryNames } from '../kernel/collections/view-query.js';

/** Names of the other collections with a relation to this one, or with a query that reads it (COL-91). */
export function referencesTo(
  collection: Collection,
  catalog: CollectionCatalog,
  { exceptViews = false }: { readonly exceptViews?: boolean } = {},
): string[] {
  return catalog
    .all()
    .filter((other) => !(exceptViews && other.isView))
    .filter((other) => other.id !== collection.id && (pointsTo(other, collection) || reads(other, collection)))
    .map((other) => other.name);
}

/** The tables and views a view reads directly, lower-cased. */
function viewSources(view: Collection): ReadonlySet<string> {
  try {
    return new Set(parseViewQuery(view.viewQuery ?? '').tables.map((table) => table.toLowerCase()));
  } catch {
    return viewQueryNames(view.viewQuery ?? '');
  }
}

/**
 * These views, and all among `views` that read one of the names directly or through other views. In an order in which
 * each comes after the views it reads, as far as there is one.
 */
export function dependentViews(
  names: Iterable<string>,
  views: readonly Collection[],
  certain: readonly Collection[] = [],
): Collection[] {
  const reached = new Set([...names].map((name) => name.toLowerCase()));
  const dependent = new Set(certain);
  for (let grown = true; grown;) {
    grown = false;
    for (const view of views) {
      if (dependent.has(view) || ![...viewSources(view)].some((source) => reached.has(source))) continue;
      dependent.add(view);
      reached.add(view.name.toLowerCase());
      grown = true;
    }
  }
  return inDependencyOrder([...dependent]);
}

/** Views sorted so that each comes after those it reads (COL-98). Views that read each other in a circle come last. */
function inDependencyOrder(views: readonly Collection[]): Collection[] {
  const waiting = new Map(views.map((view) => [view.name.toLowerCase(), view]));
  const sorted: Collection[] = [];
  for (let moved = true; moved;) {
    moved = false;
    for (const [name, view] of waiting) {
      if ([...viewSources(view)].some((source) => source !== name && waiting.has(source))) continue;
      waiting.delete(name);
      sorted.push(view);
      moved = true;
    }
  }
  return [...sorted, ...waiting.values()];
}

function pointsTo(other: Collection, target: Collection): boolean {
  return other.fields.some((field) => field.type === 'relation' && field.collectionId === target.id);
}

function reads(other: Collection, target: Collection): boolean {
  return other.isView && viewSources(other).has(target.name.toLowerCase());
}
