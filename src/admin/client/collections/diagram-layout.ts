import type { CollectionModel } from '../api/collection-model.js';

export interface Place {
  readonly x: number;
  readonly y: number;
}

const COLUMN = 310;
const GAP = 36;

function heightOf(collection: CollectionModel): number {
  return 36 + collection.fields.length * 24;
}

/** How many relations lead away from a collection at most: those nobody points further from stand on the right. */
function depths(collections: readonly CollectionModel[]): Map<string, number> {
  const byId = new Map(collections.map((each) => [each.id, each]));
  const known = new Map<string, number>();
  const visit = (id: string, seen: ReadonlySet<string>): number => {
    const ready = known.get(id);
    if (ready !== undefined) return ready;
    const targets = byId
      .get(id)!
      .fields.filter((field) => field.type === 'relation')
      .map((field) => field.collectionId as string);
    const below = targets
      .filter((target) => byId.has(target) && !seen.has(target))
      .map((target) => visit(target, new Set([...seen, target])) + 1);
    const depth = Math.max(0, ...below);
    known.set(id, depth);
    return depth;
  };
  for (const each of collections) visit(each.id, new Set([each.id]));
  return known;
}

/**
 * Places for the cards of a diagram: what points to others stands left of what it points to; columns that would get
 * too tall are broken into several.
 */
export function layoutCollections(collections: readonly CollectionModel[]): Map<string, Place> {
  const depth = depths(collections);
  const deepest = Math.max(0, ...depth.values());
  const limit = Math.max(900, Math.sqrt(collections.reduce((sum, each) => sum + heightOf(each) * COLUMN, 0)));
  const places = new Map<string, Place>();
  let column = 0;
  for (let level = deepest; level >= 0; level -= 1) {
    let y = 0;
    const here = collections.filter((each) => depth.get(each.id) === level);
    for (const each of here) {
      if (y > 0 && y + heightOf(each) > limit) {
        y = 0;
        column += 1;
      }
      places.set(each.id, { x: column * COLUMN, y });
      y += heightOf(each) + GAP;
    }
    if (here.length) column += 1;
  }
  return places;
}
